"""`lrc install` and `lrc uninstall`."""

from typing import Annotated

import typer

OnError = Annotated[
    str | None,
    typer.Option(
        "--on-error",
        metavar="warn|block",
        envvar="LRC_ON_ERROR",
        help="When no review is possible: warn (let the commit go) or block. Default: what the configuration says.",
    ),
]
Everywhere = Annotated[bool, typer.Option("--global", envvar="LRC_GLOBAL", help="For every repository of this user.")]
Configured = Annotated[
    bool,
    typer.Option(
        "--config-hooks",
        envvar="LRC_CONFIG_HOOKS",
        help="Name the hooks in git's configuration, with no hook file (git 2.54).",
    ),
]

Push = Annotated[
    bool, typer.Option("--pre-push", envvar="LRC_PRE_PUSH", help="Also review what a push brings, before it leaves.")
]
AGENT_NAMES = ("claude", "codex", "cursor")
Agents = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        envvar="LRC_AGENT",
        metavar="NAME",
        help=f"Only the files of a coding agent: {', '.join(AGENT_NAMES)}; may be repeated.",
    ),
]


def install(
    on_error: OnError = None,
    push: Push = False,
    everywhere: Everywhere = False,
    configured: Configured = False,
    agent: Agents = None,
) -> None:
    """Review every commit of this repository: write the git hooks, keeping the ones that are there."""
    from lrc.cli.boundary import emit, say
    from lrc.config import ON_ERROR
    from lrc.errors import WrongUsage
    from lrc.install import configured as in_configuration
    from lrc.install import everywhere as in_all
    from lrc.install import repository

    if on_error is not None and on_error not in ON_ERROR:
        raise WrongUsage(f"--on-error cannot be {on_error!r}", f"choose from {', '.join(ON_ERROR)}")
    if everywhere + configured + bool(agent) > 1:
        raise WrongUsage("--global, --config-hooks and --agent exclude each other", "give one of them")
    if push and (everywhere or configured or agent):
        raise WrongUsage("--pre-push is for the hook files of one repository", "give it alone or with --on-error")
    if agent:
        emit("\n".join(_install_agents(agent)))
        return
    choice = on_error or ""
    try:
        if everywhere:
            lines = in_all.install(on_error=choice)
        elif configured:
            lines = in_configuration.install(on_error=choice)
            # One way in at a time, or every commit would be reviewed twice.
            lines += repository.take_out_files()
        else:
            lines = repository.install(on_error=choice, push=push)
            lines += in_configuration.uninstall()
        emit("\n".join(lines))
    except repository.InstallElsewhere as error:
        say(error.message, error.hint)
        emit(error.advice.snippet)
        raise typer.Exit(error.exit_code) from None


def uninstall(everywhere: Everywhere = False, agent: Agents = None) -> None:
    """Take lrc out of this repository, agents' files included, and put back what was there before."""
    from lrc.cli.boundary import emit
    from lrc.install import agents, repository
    from lrc.install import configured as in_configuration
    from lrc.install import everywhere as in_all

    if everywhere:
        lines = in_all.uninstall()
    elif agent:
        lines = agents.uninstall(_known(agent))
    else:
        lines = in_configuration.uninstall() + repository.uninstall() + agents.uninstall()
    emit("\n".join(lines or ["nothing of lrc is installed here"]))


def _install_agents(names: list[str]) -> list[str]:
    from lrc.install import agents, repository

    lines = [line for name in _known(names) for line in agents.install(name)]
    if not repository.is_reviewed():
        lines.append("commits are not reviewed yet: `lrc install` writes git's hook")
    return lines


def _known(names: list[str]) -> tuple[str, ...]:
    from lrc.errors import WrongUsage

    for name in names:
        if name not in AGENT_NAMES:
            raise WrongUsage(f"no agent named {name!r}", f"choose from {', '.join(AGENT_NAMES)}")
    return tuple(names)
