"""What the detectors say about ordinary commits: the ground on which their precision is judged.

    python -m benchmarks.detectors REPOSITORY... [--last 50] [--skip 0] > findings.jsonl

Every finding of the commits that are no merges, newest first, as one JSON line each, ready to be labelled by a reader;
a summary goes to standard error. With `--labels FILE` (the same lines, each with `"right": true` or `false`) the
findings are matched by commit, place and source, and the summary gives the precision and lists what has no label yet.
"""

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lrc.cli.change import change_source
from lrc.findings import Severity
from lrc.gate import Policy, decide
from lrc.pipeline import conduct
from lrc.repo import Repository

KEY = ("repository", "commit", "path", "side", "line", "source")
"""What tells one finding from another: the wording may change without making a label void."""


def main(arguments: list[str]) -> int:
    """Run the detectors over the commits and print what they say."""
    wanted = _parser().parse_args(arguments)
    started = time.monotonic()
    rows: list[dict[str, Any]] = []
    commits = 0
    for path in wanted.repositories:
        for row in _rows(path, wanted.last, wanted.skip):
            commits += row is None
            if row is not None:
                rows.append(row)
                print(json.dumps(row), flush=True)
    _summary(rows, commits, time.monotonic() - started)
    if wanted.labels:
        return _precision(rows, wanted.labels)
    return 0


def _rows(path: Path, last: int, skip: int) -> Iterator[dict[str, Any] | None]:
    """The findings of a repository's commits, and None after each commit."""
    for commit in _commits(path, last, skip):
        with Repository.discover(path) as repo:
            source = change_source(repo, commit)
            verdict = decide(conduct(source, source.rules(()), None), Policy())
        for finding in verdict.findings:
            yield {
                "repository": path.parent.name if path.name == "repo" else path.name,
                "commit": commit,
                "path": finding.path,
                "side": finding.side.value,
                "line": finding.line,
                "severity": finding.severity.label,
                "source": finding.source,
                "message": finding.message,
                "quote": finding.quote,
            }
        yield None


def _commits(path: Path, last: int, skip: int) -> list[str]:
    command = ["git", "-C", str(path), "rev-list", "--no-merges", f"--max-count={last}", f"--skip={skip}", "HEAD"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def _summary(rows: list[dict[str, Any]], commits: int, seconds: float) -> None:
    loud = {row["commit"] for row in rows}
    blocked = {row["commit"] for row in rows if Severity.parse(row["severity"]) >= Severity.HIGH}
    print(
        f"{commits} commits in {seconds:.0f} s: {len(rows)} findings ({len(rows) / max(1, commits):.2f} a commit), "
        f"in {len(loud)} commits; {len(blocked)} commits would be blocked",
        file=sys.stderr,
    )
    for what in ("severity", "source"):
        counts = Counter(row[what] for row in rows).most_common()
        print("  " + ", ".join(f"{name} {count}" for name, count in counts), file=sys.stderr)


def _precision(rows: list[dict[str, Any]], labels: Path) -> int:
    """Exit 1 when a finding has no label."""
    known = {_key(row): bool(row["right"]) for row in map(json.loads, labels.read_text("utf-8").splitlines())}
    judged = [row for row in rows if _key(row) in known]
    for name, some in (
        ("all", judged),
        ("blocking", [row for row in judged if row["severity"] in ("high", "critical")]),
    ):
        right = sum(known[_key(row)] for row in some)
        print(f"precision, {name}: {right} of {len(some)} = {right / max(1, len(some)):.3f}", file=sys.stderr)
    missing = [row for row in rows if _key(row) not in known]
    for row in missing:
        print(f"no label: {json.dumps(row)}", file=sys.stderr)
    return 1 if missing else 0


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[part] for part in KEY)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path, help="clones, bare or not")
    parser.add_argument("--last", type=int, default=50, help="commits of each repository")
    parser.add_argument("--skip", type=int, default=0, help="newest commits of each to leave out")
    parser.add_argument("--labels", type=Path, help="labelled findings, to get the precision")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
