"""Which pair is in use, what is remembered, and what is refused."""

import json
import os
import shutil
from pathlib import Path

import pytest

from lrc.models import store as store_module
from lrc.models.catalogue import Entry
from lrc.models.faults import DamagedModel, ModelFault
from lrc.models.location import data_dir, models_dir
from lrc.models.store import Store, current
from tests.conftest import ModelPair
from tests.models.conftest import Heard
from tests.support.gguf_files import TOKENS, write_gguf


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The data directory."""
    return tmp_path / "data"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A target and a draft of the user's own that fit."""
    return write_gguf(tmp_path / "mine.gguf", values=500), write_gguf(tmp_path / "small.gguf")


@pytest.fixture
def default_pair(root: Path, contents: dict[Entry, bytes], monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The catalogue's pair in place, the catalogue being the small one."""
    entries = list(contents)
    monkeypatch.setattr(store_module, "TARGET", entries[0])
    monkeypatch.setattr(store_module, "DRAFT", entries[1])
    named = {entry.file: entry for entry in entries}
    monkeypatch.setattr(store_module, "entry_named", named.get)
    (root / "models").mkdir(parents=True)
    for entry, content in contents.items():
        (root / "models" / entry.file).write_bytes(content)
    return root / "models" / entries[0].file, root / "models" / entries[1].file


def test_data_directory_is_named_by_the_environment(tmp_path: Path) -> None:
    """`LRC_DATA_DIR` beats the platform's place; models lie inside."""
    assert data_dir({"LRC_DATA_DIR": str(tmp_path)}) == tmp_path
    assert models_dir({"LRC_DATA_DIR": str(tmp_path)}) == tmp_path / "models"
    assert data_dir({}).name == "lrc"


def test_nothing_is_there(root: Path) -> None:
    """Without any model there is no pair, and looking makes no directory."""
    assert Store(root, {}).current() is None
    assert Store(root, {}).installed() == []
    assert not root.exists()


def test_default_pair_is_in_use_once_it_is_there(root: Path, default_pair: tuple[Path, Path]) -> None:
    """Files of the catalogue need no choice."""
    pair = Store(root, {}).current()
    assert pair is not None and pair.draft is not None
    assert (pair.target.path, pair.draft.path, pair.origin, pair.note) == (*default_pair, "default", "")


def test_default_target_alone_is_enough(root: Path, default_pair: tuple[Path, Path]) -> None:
    """Without the draft the target reviews alone."""
    default_pair[1].unlink()
    pair = Store(root, {}).current()
    assert pair is not None and pair.draft is None and pair.note == ""


def test_changed_file_of_the_default_pair_is_refused(root: Path, default_pair: tuple[Path, Path]) -> None:
    """A file under a published name must have the published hash."""
    content = bytearray(default_pair[0].read_bytes())
    content[-1] ^= 1
    default_pair[0].write_bytes(content)
    with pytest.raises(DamagedModel, match="is not the published file") as raised:
        Store(root, {}).current()
    assert "lrc model pull" in raised.value.hint


def test_damaged_draft_is_left_out_with_a_note(root: Path, default_pair: tuple[Path, Path]) -> None:
    """A draft that cannot be used does not stop a review."""
    default_pair[1].write_bytes(default_pair[1].read_bytes()[:2000])
    pair = Store(root, {}).current()
    assert pair is not None and pair.draft is None
    assert "going on without the draft model" in pair.note


def test_choice_is_remembered(root: Path, files: tuple[Path, Path], heard: Heard) -> None:
    """A chosen pair is in use for every later process, and its files are not hashed again."""
    Store(root, {}).use(str(files[0]), str(files[1]))
    pair = Store(root, {}).current(heard)
    assert pair is not None and pair.draft is not None
    assert (pair.target.path, pair.draft.path, pair.origin) == (*files, "choice")
    assert heard.tasks == []


def test_choice_beats_the_default_until_it_is_taken_back(
    root: Path, default_pair: tuple[Path, Path], files: tuple[Path, Path]
) -> None:
    """`use_default` forgets the choice."""
    kept = Store(root, {})
    kept.use(str(files[0]), None)
    chosen = kept.current()
    assert chosen is not None and chosen.target.path == files[0] and chosen.draft is None
    kept.use_default()
    back = Store(root, {}).current()
    assert back is not None and back.target.path == default_pair[0]


@pytest.mark.parametrize("bad", ["nowhere.gguf", "text.gguf", "cut.gguf", "ollama:nothing", "ollama:../../etc"])
def test_unusable_choice_changes_nothing(root: Path, files: tuple[Path, Path], tmp_path: Path, bad: str) -> None:
    """A target that is missing, no GGUF, cut short or unknown to Ollama is refused; the old choice stays."""
    (tmp_path / "text.gguf").write_text("not a model")
    (tmp_path / "cut.gguf").write_bytes(files[0].read_bytes()[:-10])
    kept = Store(root, {"OLLAMA_MODELS": str(tmp_path / "ollama")})
    kept.use(str(files[0]), None)
    name = bad if bad.startswith("ollama:") else str(tmp_path / bad)
    for target, draft in ((name, None), (str(files[0]), name)):
        with pytest.raises(ModelFault):
            kept.use(target, draft)
    pair = Store(root, {}).current()
    assert pair is not None and pair.target.path == files[0] and pair.draft is None


def test_draft_of_another_vocabulary_is_left_out_naming_both(
    root: Path, files: tuple[Path, Path], tmp_path: Path
) -> None:
    """A pair that does not fit reviews without the draft; the note names both files and the difference."""
    other = write_gguf(tmp_path / "other.gguf", tokens=tuple(f"autre{n}" for n in range(len(TOKENS))))
    Store(root, {}).use(str(files[0]), str(other))
    pair = Store(root, {}).current()
    assert pair is not None and pair.draft is None
    for word in ("mine.gguf", "other.gguf", "'token5'", "'autre5'"):
        assert word in pair.note


def test_chosen_file_that_changed_is_refused(root: Path, files: tuple[Path, Path]) -> None:
    """A file that is another one than was chosen is not used silently."""
    Store(root, {}).use(str(files[0]), None)
    write_gguf(files[0], values=501)
    with pytest.raises(DamagedModel, match="has changed since it was chosen"):
        Store(root, {}).current()


def test_touched_file_is_checked_again_and_used(root: Path, files: tuple[Path, Path], heard: Heard) -> None:
    """A new time stamp on the same bytes costs one hash, nothing else."""
    Store(root, {}).use(str(files[0]), None)
    os.utime(files[0], ns=(1, 1))
    assert Store(root, {}).current(heard) is not None
    assert len(heard.tasks) == 1


def test_chosen_file_that_went_away(root: Path, files: tuple[Path, Path]) -> None:
    """A chosen target that was deleted is named."""
    Store(root, {}).use(str(files[0]), None)
    files[0].unlink()
    with pytest.raises(ModelFault, match=r"no model at .*mine\.gguf"):
        Store(root, {}).current()


def test_environment_beats_the_choice(root: Path, files: tuple[Path, Path]) -> None:
    """`LRC_TARGET` and `LRC_DRAFT` win; a target named there has no draft of its own; `none` takes the draft away."""
    Store(root, {}).use(str(files[0]), str(files[1]))

    def names(**environ: str) -> tuple[str, str | None, str]:
        pair = Store(root, environ).current()
        assert pair is not None
        return pair.target.path.name, pair.draft.path.name if pair.draft else None, pair.origin

    assert names() == ("mine.gguf", "small.gguf", "choice")
    assert names(LRC_DRAFT="none") == ("mine.gguf", None, "environment")
    assert names(LRC_TARGET=str(files[1])) == ("small.gguf", None, "environment")
    assert names(LRC_TARGET=str(files[1]), LRC_DRAFT=str(files[0])) == ("small.gguf", "mine.gguf", "environment")


def test_missing_draft_of_the_environment_is_left_out(root: Path, files: tuple[Path, Path]) -> None:
    """A draft that is not there, as a file or with Ollama, does not stop a review."""
    for draft in ("/nowhere.gguf", "ollama:nothing"):
        pair = Store(root, {"LRC_TARGET": str(files[0]), "LRC_DRAFT": draft, "OLLAMA_MODELS": str(root)}).current()
        assert pair is not None and pair.draft is None
        assert "going on without the draft model" in pair.note


def test_given_names_stand_in_for_the_environment(root: Path, files: tuple[Path, Path]) -> None:
    """A caller that has read the configuration gives its values; the environment is then not asked again."""
    environ = {"LRC_DATA_DIR": str(root), "LRC_TARGET": "/nowhere.gguf"}
    pair = current(environ, target=str(files[0]), draft="")
    assert pair is not None and pair.target.path == files[0]


def test_bare_name_finds_a_file_of_the_store(root: Path, default_pair: tuple[Path, Path]) -> None:
    """What `lrc model list` shows can be typed as it is."""
    pair = Store(root, {}).use(default_pair[0].name, default_pair[1].name)
    assert pair.target.path == default_pair[0]


@pytest.mark.parametrize("garbage", ["", "[]", "{", '{"target": 5}', '{"target": null, "sha256": []}', "\xff\xfe"])
def test_garbled_records_are_as_if_they_were_not_there(
    root: Path, default_pair: tuple[Path, Path], garbage: str
) -> None:
    """A record that cannot be read costs a new check, never an error."""
    (root / "choice.json").write_bytes(garbage.encode("latin-1"))
    (root / "checked.json").write_bytes(garbage.encode("latin-1"))
    pair = Store(root, {}).current()
    assert pair is not None and pair.origin == "default"


def test_record_of_another_version_is_dropped(root: Path, default_pair: tuple[Path, Path]) -> None:
    """Facts that were recorded in another form are read anew."""
    assert Store(root, {}).current() is not None
    record = json.loads((root / "checked.json").read_text())
    for entry in record["files"].values():
        entry["facts"] = {"name": "old"}
    (root / "checked.json").write_text(json.dumps(record))
    pair = Store(root, {}).current()
    assert pair is not None and pair.target.facts.architecture == "qwen2"


def test_place_that_cannot_be_written_still_reviews(root: Path, files: tuple[Path, Path]) -> None:
    """A record that cannot be kept is not an error of a review."""
    root.write_text("a file in the place of the data directory")
    pair = Store(root, {"LRC_TARGET": str(files[0])}).current()
    assert pair is not None


def test_list_has_what_cannot_be_read_too(root: Path, default_pair: tuple[Path, Path]) -> None:
    """An unreadable file is listed with its fault; hashing is not done for a list."""
    (root / "models" / "broken.gguf").write_text("no model")
    found = {item.path.name: item for item in Store(root, {}).installed()}
    assert "not a GGUF" in found["broken.gguf"].fault
    assert found[default_pair[0].name].used_as == "target"
    assert found[default_pair[1].name].used_as == "draft"
    known = found[default_pair[0].name].model
    assert known is not None and known.sha256 == ""


@pytest.mark.model
def test_real_pair_is_checked_once(pair: ModelPair, root: Path, heard: Heard) -> None:
    """The real pair fits; hashed and compared the first time, known from the record the second time."""
    (root / "models").mkdir(parents=True)
    for path in pair:
        (root / "models" / path.name).hardlink_to(path) if path.stat().st_dev == root.stat().st_dev else shutil.copy(
            path, root / "models"
        )
    first = Store(root, {}).current(heard)
    assert first is not None and first.draft is not None and first.note == ""
    assert len(heard.tasks) == 2
    assert Store(root, {}).current(heard) == first
    assert len(heard.tasks) == 2
