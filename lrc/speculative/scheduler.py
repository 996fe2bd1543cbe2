"""Decodes many texts at once: each step is one batch of prompt rows, last tokens and drafts of all of them."""

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence

from lrc.speculative.cache import PrefixCache
from lrc.speculative.errors import CacheWorn, DecodeAborted, EngineBusy, EngineError, NoCacheSlot
from lrc.speculative.legal import prune_illegal
from lrc.speculative.none import NoDrafter
from lrc.speculative.policy import Policy
from lrc.speculative.protocols import DraftTree, Logits, Target
from lrc.speculative.requests import Finish
from lrc.speculative.stats import Tally
from lrc.speculative.streams import Job, Outcome, Part, Stream
from lrc.speculative.verify import Verdict, verify


class Decoding:
    """One run over a list of jobs. Iterate `outcomes` once."""

    def __init__(
        self,
        target: Target,
        cache: PrefixCache,
        policy: Policy,
        tally: Tally,
        *,
        spare: Sequence[int] = (),
        streams: int = 1,
    ) -> None:
        """Decode up to `streams` texts side by side on `target`.

        `cache` hands out its sequences; `spare` ones, empty now and afterwards, are for branches.
        """
        self._target = target
        self._cache = cache
        self._policy = policy
        self._tally = tally
        self._spare = list(spare)
        self._most = min(streams, target.n_outputs)
        self._waiting: deque[Stream] = deque()
        self._live: list[Stream] = []
        self._crowded = False
        """A stream was sent back for lack of cells: nobody is admitted before another one finishes."""
        self._plain = False
        """The next step goes without drafts, to spare cells."""
        self._renewed = -1
        """Tokens that had been generated when the cache was last renewed."""

    def outcomes(
        self,
        jobs: Sequence[Job],
        deadline: float | None = None,
        on_tokens: Callable[[int, float], None] | None = None,
    ) -> Generator[Outcome, None, None]:
        """Yield each text as it ends. Whatever stops the iteration, the sequences are given back consistent."""
        self._waiting.extend(Stream(index, job, list(job.prompt)) for index, job in enumerate(jobs))
        started, first = time.monotonic(), self._tally.generated_tokens
        try:
            while self._waiting or self._live:
                if deadline is not None and time.monotonic() >= deadline:
                    yield from self._give_up()
                    return
                self._admit()
                before = self._tally.generated_tokens
                try:
                    finished = self._step()
                except DecodeAborted:
                    if deadline is None or time.monotonic() < deadline:
                        raise
                    continue
                if on_tokens is not None and self._tally.generated_tokens > before:
                    produced = self._tally.generated_tokens - first
                    on_tokens(produced, produced / max(time.monotonic() - started, 1e-9))
                yield from finished
        finally:
            while self._live:
                self._leave(self._live[0])
            while self._waiting:
                self._leave(self._waiting.popleft())
            for sequence in self._spare:
                self._target.free(sequence)

    def _give_up(self) -> Iterator[Outcome]:
        """Time is up: end every text with what it has."""
        for stream in [*self._live, *self._waiting]:
            yield stream.outcome(Finish.DEADLINE)

    def _leave(self, stream: Stream) -> None:
        """Give back what `stream` holds."""
        if stream in self._live:
            self._live.remove(stream)
            self._cache.release(stream.sequence)
        stream.job.drafter.close()
        stream.job.chooser.close()

    def _admit(self) -> None:
        """Start waiting texts while sequences and cells last. With nothing live, the first is always admitted."""
        if not self._live and not self._cache.idle:
            raise EngineBusy("all sequences are in use", "finish or drop the other answers first")
        while self._waiting and self._cache.idle and len(self._live) < self._most:
            stream = self._waiting[0]
            if self._live and (self._crowded or not self._fits(stream)):
                return
            most = len(stream.tokens) - 1
            if self._live and self._cache.is_coming(stream.tokens, most):
                return
            self._waiting.popleft()
            self._live.append(stream)
            stream.sequence, reused = self._cache.take(stream.tokens, most)
            if not stream.begun:
                stream.begun, stream.reused = True, reused
                self._tally.prompt_tokens += len(stream.job.prompt)
                self._tally.reused_tokens += reused
                stream.job.drafter.begin(stream.tokens)

    def _fits(self, stream: Stream) -> bool:
        """Whether the cells last for the live texts and this one, should all get as long as they may."""
        growth = sum(len(live.tokens) + live.remaining - len(self._cache.text(live.sequence)) for live in self._live)
        shared = self._cache.known(stream.tokens, len(stream.tokens) - 1)
        own = len(stream.tokens) + stream.remaining - shared
        return self._cache.cells([live.sequence for live in self._live]) + growth + own <= self._target.n_ctx

    def _step(self) -> list[Outcome]:
        """Evaluate one batch; returns what ended."""
        parts = self._draft()
        rows = [row for part in parts for row in part.rows]
        started = time.perf_counter()
        try:
            logits = self._target.evaluate(rows)
        except NoCacheSlot as error:
            self._give_back(parts)
            return self._make_room(worn=isinstance(error, CacheWorn))
        except BaseException:
            self._give_back(parts)
            raise
        seconds = time.perf_counter() - started
        self._plain = False
        prompt_rows, known = _prompt_rows(parts), self._tally.generated_tokens
        self._tally.evaluated(len(rows), prompt_rows, seconds)
        self._policy.evaluated(len(rows), seconds)
        started = time.perf_counter()
        finished = self._harvest(parts, logits)
        self._tally.seconds_choose += time.perf_counter() - started
        if not prompt_rows:
            self._tally.answer_tokens += self._tally.generated_tokens - known
        return finished

    def _draft(self) -> list[Part]:
        """Lay out the next step: last tokens first, then their drafts, then as many prompt rows as there is room."""
        started = time.perf_counter()
        parts: list[Part] = []
        prompts: list[Stream] = []
        for stream in self._live:
            start = len(self._cache.text(stream.sequence))
            if start == len(stream.tokens) - 1:
                parts.append(Part(stream, start, stream.tokens[start:], complete=True))
            else:
                prompts.append(stream)
        room = self._target.n_rows - len(parts)
        if not self._plain:
            self._add_drafts(parts, min(room, self._target.n_outputs - len(parts)))
            room -= sum(len(part.tree) for part in parts)
        outputs = self._target.n_outputs - sum(part.outputs for part in parts)
        for stream in prompts:
            if room <= 0:
                break
            start = len(self._cache.text(stream.sequence))
            pending = stream.tokens[start : start + room]
            complete = start + len(pending) == len(stream.tokens)
            if complete and outputs <= 0:
                pending, complete = pending[:-1], False
            outputs -= complete
            room -= len(pending)
            if pending:
                parts.append(Part(stream, start, pending, complete))
        self._tally.seconds_draft += time.perf_counter() - started
        return parts

    def _add_drafts(self, parts: list[Part], room: int) -> None:
        """Ask the drafters, and keep what the policy finds worth its rows."""
        limit = min(self._policy.limit(len(parts)), room) if parts else 0
        if limit <= 0:
            return
        drafts = [self._propose(part.stream, limit) for part in parts]
        spare = list(self._spare)
        for part, tree in zip(parts, self._policy.select(drafts, len(parts), room), strict=True):
            if tree:
                part.tree = tree
                part.borrow(self._target, spare)

    def _propose(self, stream: Stream, limit: int) -> DraftTree:
        """The legal part of a guess that fits what is left of the answer and of the context.

        A drafter that fails is a loss of speed, not of the answer: it is dropped for this text and the fault noted.
        """
        limit = min(limit, stream.remaining - 1, self._target.n_ctx - len(stream.tokens))
        if limit <= 0:
            return ()
        try:
            tree = stream.job.drafter.propose(limit)[:limit]
        except EngineError as error:
            if isinstance(error, DecodeAborted):
                raise
            self._tally.faults.append(error.message)
            stream.job.drafter.close()
            stream.job.drafter = NoDrafter()
            return ()
        grammar = stream.job.chooser.grammar
        return prune_illegal(tree, grammar, stream.job.chooser.ends) if grammar is not None and tree else tree

    def _harvest(self, parts: Sequence[Part], logits: Logits) -> list[Outcome]:
        """Verify what was evaluated, keep the accepted cells, and end the texts that are done."""
        finished: list[Outcome] = []
        output = 0
        verdicts: list[Verdict | None] = []
        for part in parts:
            verdict = None
            if part.complete:
                stream = part.stream
                rows = logits[output : output + part.outputs]
                verdict = verify(part.tree, rows, stream.job.chooser, min(stream.remaining, self._open(stream)))
                output += part.outputs
            verdicts.append(verdict)
        for part, verdict in zip(parts, verdicts, strict=True):
            part.settle(self._target, self._cache, verdict)
            if verdict is not None:
                finish = self._record(part, verdict)
                if finish is not None:
                    finished.append(part.stream.outcome(finish))
                    self._leave(part.stream)
                    self._crowded = False
        return finished

    def _open(self, stream: Stream) -> int:
        """Tokens that still fit into the context, and the one that follows the last of them."""
        return self._target.n_ctx + 1 - len(stream.tokens)

    def _record(self, part: Part, verdict: Verdict) -> Finish | None:
        """Take the emitted tokens into the text and the counts; says whether it is done."""
        stream = part.stream
        depth = {index: level for level, index in enumerate(verdict.path)}
        for index in verdict.visited:
            node = part.tree[index]
            level = depth[node.parent] + 1 if node.parent >= 0 else 0
            stream.drafts.add(node.source, level, index in depth)
            self._tally.drafts.add(node.source, level, index in depth)
            self._policy.tried(node, level, index in depth)
        stream.steps += 1
        stream.tokens.extend(verdict.tokens)
        self._tally.generated_tokens += len(verdict.tokens)
        stream.job.drafter.observe(verdict.tokens)
        if verdict.tokens[-1] in stream.job.chooser.ends:
            return Finish.STOP
        if stream.remaining <= 0:
            return Finish.LENGTH
        return Finish.CONTEXT if self._open(stream) <= 0 else None

    def _make_room(self, worn: bool) -> list[Outcome]:
        """The cache had no cell: forget old texts, then go without drafts, then send the youngest text back.

        A worn cache is renewed instead. Should it wear out again before a token was generated, the texts themselves
        do not fit.
        """
        if worn:
            self._cache.renew()
            renewed, self._renewed = self._renewed, self._tally.generated_tokens
            if renewed != self._renewed:
                return []
        elif self._cache.evict():
            return []
        elif not self._plain:
            self._plain = True
            return []
        stream = self._live[-1]
        if len(self._live) == 1:
            outcome = stream.outcome(Finish.CONTEXT)
            self._leave(stream)
            return [outcome]
        self._live.remove(stream)
        self._cache.release(stream.sequence, keep=False)
        self._waiting.appendleft(stream)
        self._crowded = True
        return []

    def _give_back(self, parts: Sequence[Part]) -> None:
        for part in parts:
            part.give_back(self._target)


def _prompt_rows(parts: Sequence[Part]) -> int:
    """Rows of a step that are prompt rather than answer."""
    return sum(len(part.pending) for part in parts if not part.complete or part.stream.emitted == 0)
