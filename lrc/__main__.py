"""`lrc` and `python -m lrc`: picks the shortest way in, inside the one error boundary."""

import sys

from lrc.cli.boundary import guarded


def main() -> None:
    """Runs the command line and ends the process with its exit code.

    What git runs (`lrc hook ...`) goes past the command-line framework: a hook with nothing to review must cost no
    more than the interpreter's own start.
    """
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and not {"-h", "--help"} & set(arguments):
        from lrc.cli.hook import run

        sys.exit(guarded(lambda: run(arguments[1:])))

    from lrc.cli.app import run_app

    sys.exit(guarded(lambda: run_app(arguments)))


if __name__ == "__main__":
    main()
