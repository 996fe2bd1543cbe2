"""What `lrc doctor` looks at, one function a line. Each gives a `Check`, none raises for what it finds."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lrc.cli.watch import Watcher, size
from lrc.errors import LrcError

if TYPE_CHECKING:
    from lrc.config import Config
    from lrc.models.checked import Model
    from lrc.models.store import Pair

Status = Literal["ok", "warn", "fail"]
"""`fail`: no review can run. `warn`: it can, with less than there could be."""

SMOKE_SECONDS = 180.0
"""How long the smoke test may take: a cold disk and a slow processor included."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the check-up."""

    name: str
    """What was looked at."""
    status: Status
    """How it is."""
    detail: str
    """What was found."""
    way_out: str = ""
    """What to do about it; empty when nothing is to be done."""
    data: dict[str, Any] = field(default_factory=dict)
    """The same for machines (`--format json`)."""


def checks(watch: Watcher) -> Iterator[Check]:
    """All checks, cheap ones first; the last one loads the models."""
    yield git()
    root, repository = _repository()
    yield repository
    if root is not None:
        yield hook()
    config, configuration = _configuration(root)
    yield configuration
    pair, lines = models(config, watch)
    yield from lines
    yield processor()
    yield memory(pair, config)
    if pair is not None:
        yield tuning(pair)
    yield binding()
    yield smoke(pair)


def git() -> Check:
    """git itself."""
    from lrc.install.place import ask

    try:
        answer = ask("version") or ""
    except LrcError as fault:
        return _failed("git", fault)
    version = answer.removeprefix("git version ")
    return Check("git", "ok", version, data={"version": version})


def _repository() -> tuple[Path | None, Check]:
    from lrc.repo import Repository

    try:
        with Repository.discover() as repository:
            root = repository.root
    except LrcError as fault:
        # The check-up may be run anywhere: it is about the machine first.
        return None, Check("repository", "warn", fault.message, "run it inside one to check its hook as well")
    return root, Check("repository", "ok", str(root), data={"root": str(root)})


def hook() -> Check:
    """Whether a commit in the repository around us is reviewed."""
    from lrc.install.files import is_installed
    from lrc.install.neighbours import advice
    from lrc.install.place import find
    from lrc.install.repository import is_reviewed
    from lrc.install.script import HOOKS

    try:
        place = find()
        installed = [name for name in HOOKS if is_installed(place.hooks, name)]
        elsewhere = advice(place, HOOKS)
        reviewed = is_reviewed()
    except LrcError as fault:
        return Check("hook", "warn", fault.message, fault.hint)
    data = {"directory": str(place.hooks), "installed": installed, "reviewed": reviewed}
    if installed:
        everywhere = ", for all repositories" if place.for_everyone else ""
        return Check("hook", "ok", f"{', '.join(installed)} in {place.hooks}{everywhere}", data=data)
    if elsewhere is not None and elsewhere.done:
        return Check("hook", "ok", f"called by {elsewhere.file}", data={**data, "called_by": str(elsewhere.file)})
    if reviewed:
        return Check("hook", "ok", "named in git's configuration", data=data)
    way_out = (
        f"`lrc install` says what to add to {elsewhere.file}" if elsewhere else "`lrc install` reviews each commit"
    )
    return Check("hook", "warn", "commits here are not reviewed", way_out, data)


def _configuration(root: Path | None) -> tuple["Config | None", Check]:
    """Which sources set something, and whether all of it is sound."""
    from lrc import config

    problems = config.problems(root)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        return None, Check("configuration", "fail", problems[0] + more, "`lrc config check` lists every fault")
    loaded = config.load(root)
    origins = sorted({origin for origin in loaded.origins.values() if origin != "default"})
    detail = f"set by {', '.join(origins)}" if origins else "defaults"
    return loaded, Check("configuration", "ok", detail, data={"sources": origins})


def models(config: "Config | None", watch: Watcher) -> tuple["Pair | None", list[Check]]:
    """Target, draft, and whether they fit."""
    from lrc.models.faults import PULL_AGAIN
    from lrc.models.store import current

    target, draft = (config.settings.target, config.settings.draft) if config is not None else (None, None)
    try:
        pair = current(listener=watch, target=target, draft=draft)
    except LrcError as fault:
        return None, [_failed("target model", fault)]
    if pair is None:
        return None, [Check("target model", "fail", "none is here", PULL_AGAIN)]
    lines = [Check("target model", "ok", _described(pair.target), data=_data(pair.target))]
    if pair.draft is None and pair.note:
        lines.append(Check("draft model", "warn", pair.note, "`lrc model use` chooses another, or none"))
    elif pair.draft is None:
        lines.append(Check("draft model", "ok", "none chosen"))
    else:
        lines.append(Check("draft model", "ok", _described(pair.draft), data=_data(pair.draft)))
        sizes = f"{pair.target.facts.vocabulary:,} and {pair.draft.facts.vocabulary:,} tokens"
        lines.append(Check("vocabulary", "ok", f"the same for both ({sizes}, {pair.target.facts.tokenizer})"))
    return pair, lines


def processor() -> Check:
    """Instruction sets that make llama.cpp fast, cores and threads."""
    from lrc.models.machine import processor as look

    found = look()
    cores = f"{_counted(found.cores, 'core')}, {_counted(found.threads, 'thread')}"
    features = ", ".join(found.features) or "instruction sets not listed by this platform"
    data = {"name": found.name, "features": list(found.features), "cores": found.cores, "threads": found.threads}
    detail = f"{found.name}: {cores}; {features}"
    if "AVX" in found.features and "AVX2" not in found.features:
        return Check("processor", "warn", detail, "without AVX2 a review takes several times as long", data)
    return Check("processor", "ok", detail, data=data)


def memory(pair: "Pair | None", config: "Config | None") -> Check:
    """Free memory against what the pair takes."""
    from lrc.models.machine import available_memory
    from lrc.models.memory_need import need

    found = available_memory()
    where = "free in this container" if found.limited_by == "container" else "free" if found.exact else "in all"
    detail = f"{size(found.bytes)} {where}" if found.bytes else "unknown on this platform"
    data: dict[str, Any] = {"available": found.bytes, "exact": found.exact}
    if pair is None:
        return Check("memory", "ok", detail, data=data)
    context = config.settings.context if config is not None else 0
    drafting = pair.draft.facts if pair.draft is not None else None
    wanted = need(pair.target.facts, drafting, context) if context else need(pair.target.facts, drafting)
    data["needed"] = wanted
    detail = f"{detail}, a review takes up to {size(wanted)}"
    if 0 < found.bytes < wanted:
        return Check("memory", "warn", detail, "close programs, or choose a smaller model, context or no draft", data)
    return Check("memory", "ok", detail, data=data)


def tuning(pair: "Pair") -> Check:
    """Whether it was measured how the target runs fastest here."""
    from lrc.cli.running import tuned

    found = tuned(pair)
    if found is None:
        return Check("tuning", "warn", "not measured for this model and machine", "`lrc tune`, half a minute, once")
    rate, row = found.trial.prompt_rate, 1000 * found.trial.step_seconds
    detail = f"{_counted(found.threads, 'thread')}, {rate:.0f} prompt tokens/s, {row:.0f} ms a token"
    return Check("tuning", "ok", detail, data={"prompt_rate": rate, "step_seconds": found.trial.step_seconds})


def binding() -> Check:
    """The native library, by its package's version: importing it here could end this process."""
    from importlib.metadata import PackageNotFoundError, version

    from lrc import __version__

    python = f"Python {sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}"
    try:
        found = version("llama-cpp-python")
    except PackageNotFoundError:
        return Check("versions", "fail", "llama-cpp-python is not installed", "install lrc anew, with a C++ compiler")
    data = {"lrc": __version__, "llama_cpp_python": found, "python": python}
    return Check("versions", "ok", f"lrc {__version__}, llama-cpp-python {found}, {python}", data=data)


def smoke(pair: "Pair | None") -> Check:
    """One token by the real engine, in a process of its own."""
    if pair is None:
        return Check("smoke test", "warn", "not run: there is no model to load")
    paths = [str(pair.target.path), *([str(pair.draft.path)] if pair.draft is not None else [])]
    try:
        # -P: a folder named like one of our packages in the current directory is not ours.
        command = [sys.executable, "-P", "-m", "lrc.cli.smoke", *paths]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SMOKE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return Check("smoke test", "fail", f"no token in {SMOKE_SECONDS:.0f} s", "choose a smaller model")
    if done.returncode < 0:
        return _killed(-done.returncode)
    try:
        answer = json.loads(done.stdout.decode("utf-8", "replace").strip().splitlines()[-1])
    except (ValueError, IndexError):
        return Check("smoke test", "fail", f"the engine ended with status {done.returncode}", "install lrc anew")
    if "error" in answer:
        return Check("smoke test", "fail", answer["error"], answer["hint"])
    detail = f"one token in {answer['token_seconds']:.1f} s, after {answer['load_seconds']:.1f} s of loading"
    return Check("smoke test", "ok", detail, data=answer)


def _killed(number: int) -> Check:
    """The engine's process was ended by a signal; the two usual ones have a usual cause."""
    import signal

    name = signal.Signals(number).name if number in [s.value for s in signal.Signals] else f"signal {number}"
    way_out = {
        "SIGILL": "llama-cpp-python was built for another processor: install it anew from source",
        "SIGKILL": "most likely out of memory: close programs, or choose a smaller model",
    }.get(name, "install lrc anew")
    return Check("smoke test", "fail", f"the engine was ended by {name}", way_out)


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _failed(name: str, fault: LrcError) -> Check:
    return Check(name, "fail", fault.message, fault.hint)


def _described(model: "Model") -> str:
    facts = model.facts
    heads = f", {facts.mtp_layers} MTP heads" if facts.mtp_layers else ""
    return f"{model.label}: {facts.quantisation}, {size(model.bytes)}, sha256 {model.sha256[:12]}{heads}"


def _data(model: "Model") -> dict[str, Any]:
    facts = model.facts
    return {
        "path": str(model.path),
        "sha256": model.sha256,
        "bytes": model.bytes,
        "quantisation": facts.quantisation,
        "architecture": facts.architecture,
        "vocabulary": facts.vocabulary,
        "context_length": facts.context_length,
        "mtp_layers": facts.mtp_layers,
    }
