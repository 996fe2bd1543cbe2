"""The binding, on a real model of random weights: the contract of a target, errors by name, nothing on the terminal."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lrc.speculative.errors import (
    ContextFull,
    DecodeAborted,
    DecodeFailed,
    GrammarInvalid,
    GrammarStuck,
    ModelUnreadable,
    NoCacheSlot,
    OutOfMemory,
    VocabularyMismatch,
)
from lrc.speculative.llama import ContextOptions, LlamaTarget
from lrc.speculative.llama_grammar import LlamaGrammar
from lrc.speculative.llama_model import LlamaModel, LoadOptions, check_vocabularies
from lrc.speculative.protocols import Row
from tests.speculative.conftest import TinyPair
from tests.support import tiny_model

TEXT = [5, 80, 33, 90, 17, 64, 200, 12, 77, 140]


@pytest.fixture(scope="module")
def model(tiny: TinyPair) -> Iterator[LlamaModel]:
    """The target's weights."""
    loaded = LlamaModel(tiny.target, LoadOptions())
    yield loaded
    loaded.close()


@pytest.fixture(scope="module")
def context(model: LlamaModel) -> Iterator[LlamaTarget]:
    """A context in the settings of exact mode, so that results can be compared bit by bit."""
    options = ContextOptions(256, 4, threads=1, micro_batch=64, n_outputs=64, quantised_cache=True, in_order=True)
    opened = LlamaTarget(model, options)
    yield opened
    opened.close()


@pytest.fixture
def target(context: LlamaTarget) -> LlamaTarget:
    """The context, empty."""
    for sequence in range(context.n_sequences):
        context.free(sequence)
    return context


def rows(tokens: list[int], start: int = 0, sequence: int = 0) -> list[Row]:
    """Consecutive rows that all want logits."""
    return [Row((sequence,), start + index, token, True) for index, token in enumerate(tokens)]


class TestTarget:
    """What `Target` promises."""

    def test_only_wanted_rows_come_back_in_order(self, target: LlamaTarget) -> None:
        """Logits of rows 2 and 5, and no others."""
        every = np.array(target.evaluate(rows(TEXT)))
        target.free(0)
        some = [Row((0,), index, token, index in (2, 5)) for index, token in enumerate(TEXT)]
        assert np.array_equal(target.evaluate(some), every[[2, 5]])

    def test_a_rewound_sequence_goes_on_as_if_nothing_had_been(self, target: LlamaTarget) -> None:
        """A rejected draft leaves no trace in the numbers."""
        plain = np.array(target.evaluate(rows(TEXT)))
        target.free(0)
        target.evaluate(rows(TEXT[:6]))
        target.evaluate(rows([1, 2, 3], 6))
        target.rewind(0, 6)
        assert target.length(0) == 6
        assert np.array_equal(target.evaluate(rows(TEXT[6:], 6)), plain[6:])

    def test_a_forked_sequence_shares_its_beginning(self, target: LlamaTarget) -> None:
        """Both go on independently, in one batch, with the numbers of separate runs."""
        plain = np.array(target.evaluate(rows(TEXT)))
        target.free(0)
        target.evaluate(rows(TEXT[:6]))
        target.fork(0, 1, 0, 6)
        both = target.evaluate([*rows([1, 2, 3], 6), *rows(TEXT[6:], 6, sequence=1)])
        assert np.array_equal(both[3:], plain[6:])
        assert (target.length(0), target.length(1)) == (9, 10)

    def test_branches_that_share_rows_give_the_numbers_of_chains(self, target: LlamaTarget) -> None:
        """Rows of several sequences are the stem of a tree."""
        plain = np.array(target.evaluate(rows(TEXT[:5])))
        target.free(0)
        stem = [Row((0, 1), index, token, True) for index, token in enumerate(TEXT[:4])]
        tree = target.evaluate([*stem, Row((0,), 4, 99, True), Row((1,), 4, TEXT[4], True)])
        assert np.array_equal(tree[[0, 1, 2, 3, 5]], plain)

    def test_a_snapshot_restores_the_numbers_bit_by_bit(self, target: LlamaTarget) -> None:
        """Into another sequence, after the first is gone."""
        plain = np.array(target.evaluate(rows(TEXT)))
        target.free(0)
        target.evaluate(rows(TEXT[:6]))
        state = target.snapshot(0)
        target.free(0)
        target.restore(2, state)
        assert target.length(2) == 6
        assert np.array_equal(target.evaluate(rows(TEXT[6:], 6, sequence=2)), plain[6:])

    @pytest.mark.parametrize("damage", [b"", b"short", b"\0" * 400])
    def test_a_damaged_snapshot_is_refused(self, target: LlamaTarget, damage: bytes) -> None:
        """By name, and the sequence is empty."""
        target.evaluate(rows(TEXT))
        with pytest.raises(DecodeFailed):
            target.restore(0, damage)
        assert target.length(0) == 0

    def test_too_many_cells_are_refused_and_nothing_is_lost(self, target: LlamaTarget) -> None:
        """Three texts of eighty do not fit into 256 cells with a fourth."""
        for sequence in range(3):
            for start in range(0, 80, 40):
                target.evaluate([Row((sequence,), start + index, 7) for index in range(40)])
        with pytest.raises(NoCacheSlot):
            target.evaluate([Row((3,), index, 7) for index in range(40)])
        assert [target.length(sequence) for sequence in range(4)] == [80, 80, 80, 0]

    def test_the_end_of_the_context_is_named(self, target: LlamaTarget) -> None:
        """No row beyond the window."""
        with pytest.raises(ContextFull):
            target.evaluate([Row((0,), 256, 7)])

    def test_a_batch_that_breaks_the_order_is_refused_and_undone(self, target: LlamaTarget) -> None:
        """Positions must follow on; what was there stays."""
        target.evaluate(rows(TEXT))
        with pytest.raises(DecodeFailed):
            target.evaluate([Row((0,), 30, 7)])
        assert target.length(0) == len(TEXT)

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        st.lists(
            st.one_of(
                st.tuples(st.just("grow"), st.integers(0, 3), st.lists(st.integers(0, 255), min_size=1, max_size=9)),
                st.tuples(st.just("rewind"), st.integers(0, 3), st.integers(0, 20)),
                st.tuples(st.just("fork"), st.integers(0, 3), st.integers(0, 3)),
                st.tuples(st.just("move"), st.integers(0, 3), st.integers(0, 3)),
            ),
            max_size=12,
        )
    )
    def test_any_history_of_a_sequence_gives_the_numbers_of_its_text(
        self, target: LlamaTarget, steps: list[tuple[str, int, object]]
    ) -> None:
        """Grown, rewound, forked and restored from snapshots in any order, bit by bit."""
        texts: list[list[int]] = [[] for _ in range(4)]
        for sequence in range(4):
            target.free(sequence)
        for action, sequence, what in steps:
            if action == "grow":
                assert isinstance(what, list)
                target.evaluate(rows(what, len(texts[sequence]), sequence))
                texts[sequence] = texts[sequence] + what
            elif action == "rewind":
                keep = min(int(what), len(texts[sequence]))  # type: ignore[call-overload]
                target.rewind(sequence, keep)
                texts[sequence] = texts[sequence][:keep]
            elif what != sequence and texts[sequence]:
                assert isinstance(what, int)
                target.free(what)
                if action == "fork":
                    target.fork(sequence, what, 0, len(texts[sequence]))
                else:
                    target.restore(what, target.snapshot(sequence))
                texts[what] = list(texts[sequence])
            assert [target.length(index) for index in range(4)] == [len(text) for text in texts]
        found = [np.array(target.evaluate(rows([9], len(text), index))) for index, text in enumerate(texts)]
        for index, text in enumerate(texts):
            target.free(index)
            assert np.array_equal(target.evaluate(rows([*text, 9], 0, index))[-1:], found[index])
            target.free(index)


class TestInterruption:
    """A long evaluation can be stopped, and nothing of it stays."""

    prompt = tuple(Row((0,), index, index % 250) for index in range(60))

    def test_by_a_deadline(self, target: LlamaTarget) -> None:
        """A deadline in the past stops the first evaluation that is long enough to matter."""
        target.deadline = time.monotonic() - 1
        try:
            with pytest.raises(DecodeAborted):
                target.evaluate(self.prompt)
        finally:
            target.deadline = None
        assert target.length(0) == 0
        target.evaluate(self.prompt)
        assert target.length(0) == 60

    def test_by_the_users_interrupt(self, target: LlamaTarget) -> None:
        """Ctrl-C during an evaluation rises as KeyboardInterrupt once it has ended; the old handler is back."""
        stop = threading.Event()

        def press() -> None:
            while not stop.is_set():
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.002)

        thread = threading.Thread(target=press)
        interrupted = 0
        try:
            thread.start()
            for _ in range(200):
                target.free(0)
                target.evaluate(self.prompt)
        except KeyboardInterrupt:
            interrupted += 1
        finally:
            while thread.is_alive():
                try:
                    stop.set()
                    thread.join()
                    time.sleep(0.01)
                except KeyboardInterrupt:
                    interrupted += 1
        assert interrupted
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        target.free(0)
        target.evaluate(self.prompt)
        assert target.length(0) == 60


class TestModel:
    """Weights and vocabulary."""

    def test_text_survives_encoding(self, model: LlamaModel) -> None:
        """Any text, and every byte of it."""
        for text in ("abc line", "ümläut → ✓", '{"line": 1}\n\t', "", "\x00\x7f"):
            assert model.decode(model.encode(text, False)).decode() == text

    def test_markers_in_given_text_are_no_markers(self, model: LlamaModel) -> None:
        """A diff cannot forge the markers of the prompt."""
        marker = "<|im_start|>"
        assert len(model.encode(marker, True)) == 1
        assert len(model.encode(marker, False)) > 1
        assert model.decode(model.encode(marker, True)) == marker.encode()

    def test_it_describes_itself(self, model: LlamaModel) -> None:
        """Plain data for a report."""
        told = model.describe()
        assert (told["name"], told["layers"], told["vocabulary"]) == ("tiny", tiny_model.BLOCKS, model.n_vocab)
        assert "Q4_K" in told["kind"]

    def test_a_vocabulary_is_compared_token_by_token(self, model: LlamaModel, tmp_path: Path) -> None:
        """One differing text is refused, both sides and the token named."""
        tokens = tiny_model.vocabulary()
        tokens[70] = "other"
        draft = LlamaModel(tiny_model.write_model(tmp_path / "foreign.gguf", tokens=tokens), LoadOptions())
        try:
            with pytest.raises(VocabularyMismatch, match=r"target\.gguf.*foreign\.gguf.*token 70"):
                check_vocabularies(model, draft)
        finally:
            draft.close()

    def test_vocabularies_may_differ_by_padding_alone(self, model: LlamaModel, tmp_path: Path) -> None:
        """Up to 128 rows, the rule of llama.cpp."""
        for more, fits in ((128, True), (129, False)):
            tokens = [*tiny_model.vocabulary(), *(f"<pad{number}>" for number in range(more))]
            draft = LlamaModel(tiny_model.write_model(tmp_path / "padded.gguf", tokens=tokens), LoadOptions())
            try:
                if fits:
                    check_vocabularies(model, draft)
                else:
                    with pytest.raises(VocabularyMismatch):
                        check_vocabularies(model, draft)
            finally:
                draft.close()

    @pytest.mark.parametrize("kept", [0, 3, 4, 40, 1000, 9000, 300_000])
    def test_a_file_cut_anywhere_is_unreadable_by_name_and_in_silence(
        self, tiny: TinyPair, tmp_path: Path, capfd: pytest.CaptureFixture[str], kept: int
    ) -> None:
        """No crash, and nothing of the native library on the terminal."""
        path = tmp_path / "cut.gguf"
        path.write_bytes(tiny.target.read_bytes()[:kept])
        with pytest.raises(ModelUnreadable, match=r"cut\.gguf"):
            LlamaModel(path, LoadOptions())
        assert capfd.readouterr() == ("", "")

    @pytest.mark.parametrize("place", [4, 8, 20, 60, 200])
    def test_a_corrupt_header_is_unreadable_by_name(self, tiny: TinyPair, tmp_path: Path, place: int) -> None:
        """Bytes turned over in the header."""
        data = bytearray(tiny.target.read_bytes())
        data[place : place + 12] = b"\xff" * 12
        path = tmp_path / "corrupt.gguf"
        path.write_bytes(data)
        with pytest.raises(ModelUnreadable, match=r"corrupt\.gguf"):
            LlamaModel(path, LoadOptions())

    def test_a_missing_file_and_a_folder_are_named(self, tmp_path: Path) -> None:
        """With the reason of the operating system."""
        for path in (tmp_path / "missing.gguf", tmp_path):
            with pytest.raises(ModelUnreadable, match="cannot read"):
                LlamaModel(path, LoadOptions())

    def test_a_context_beyond_memory_is_refused(self, model: LlamaModel) -> None:
        """Two thousand million cells."""
        with pytest.raises(OutOfMemory):
            LlamaTarget(model, ContextOptions(2_000_000_000, 1, threads=1))


class TestGrammar:
    """GBNF over the native sampler."""

    text = r'root ::= "{\"line\":" [0-9]+ "}"'

    def test_it_says_what_may_come_next(self, model: LlamaModel) -> None:
        """One token or the other tokenisation of the same text."""
        grammar = LlamaGrammar.parse(model, self.text)
        legal = np.flatnonzero(grammar.mask(np.arange(model.n_vocab, dtype=np.int32)))
        assert {model.decode([int(token)]) for token in legal} == {b"{", b'{"'}
        grammar.close()

    def test_an_illegal_token_is_an_error_and_not_the_end_of_the_process(self, model: LlamaModel) -> None:
        """The native sampler would abort."""
        grammar = LlamaGrammar.parse(model, self.text)
        (letter,) = model.encode("z", False)
        with pytest.raises(GrammarStuck):
            grammar.accept(letter)
        grammar.close()

    def test_a_copy_goes_its_own_way(self, model: LlamaModel) -> None:
        """Looking ahead does not move the text's own grammar."""
        grammar = LlamaGrammar.parse(model, self.text)
        copy = grammar.clone()
        for token in model.encode('{"line":12}', False):
            copy.accept(token)
        assert all(copy.legal(end) for end in model.ends)
        assert not any(grammar.legal(end) for end in model.ends)
        copy.close()
        copy.close()
        grammar.close()

    def test_text_that_is_no_grammar_is_named(self, model: LlamaModel) -> None:
        """An unfinished rule."""
        with pytest.raises(GrammarInvalid):
            LlamaGrammar.parse(model, 'root ::= "')
