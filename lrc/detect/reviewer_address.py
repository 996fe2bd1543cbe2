"""Added text that talks to the reviewer instead of the reader: an attempt to steer an automated review."""

# ruff: noqa: E501 - a pattern is read as one line

import re
from collections.abc import Iterator
from functools import cache

from lrc.detect.detector import Scope, added_lines, finding_at
from lrc.diff import FileDiff, Line
from lrc.findings import Category, Finding, Severity
from lrc.language import language_of
from lrc.patterns import lazy
from lrc.syntax import code_of, is_test_path

_HINT = lazy(
    r"review|do not|don't|never|instruct|prompt|claude|copilot|gpt|gemini|assistant|forget|lgtm|empty|"
    r"\bai\b|llm|model|\blrc\b|approv|report|respond|reply|answer|output|ignore|<\||\[/?INST|<<",
    re.IGNORECASE,
)
"""Without one of these no line addresses a reviewer; spares nearly all lines the patterns below."""

_REVIEWER = r"""(?:
    (?:ai|llm|gpt|claude|copilot|gemini|automat(?:ed|ic)|machine|language[- ]model|lrc)[ -]?(?:code[- ]?)?
        (?:review(?:ers?|ing)?(?:[- ](?:tool|bot|agent|model|system)s?)?|assistant|agent|model|bot|scanner|tool)s?
    |(?:review|reviewing|reviewer)[- ](?:bot|model|agent|ai|assistant|tool)s?
    |code[- ]reviewer|lrc|language\ models?|llms?|ais?
)"""
_ORDER = r"""(?:(?:please\ |must\ |should\ |always\ |kindly\ )*(?:
    approve|accept|pass|skip|ignore|disregard|trust|lgtm|report\ no|return\ no|(?:report|return|output|give)\ (?:an\ empty|zero)|treat\ (?:this|it|the)|say\ (?:ok|lgtm)|rate\ (?:this|it)
    |mark\ (?:this|it)\ (?:as\ )?(?:safe|approved|clean|passed|reviewed)
    |(?:do\ not|don't|never|must\ not|should\ not)\ (?:report|flag|mention|comment|raise|complain|review|block|warn|leave\ (?:any\ )?comments)
    |(?:report|say|state)\ that
))"""
_NAME = r"(?:claude|copilot|chat-?gpt|gpt-?\d?|gemini|codex|coderabbit|assistant)"
"""How people call an assistant that they talk to."""
_THINGS = r"(?:issues?|problems?|findings?|bugs?|vulnerabilit(?:y|ies)|defects?|warnings?|comments?|concerns?|secrets?)"
_THIS_CHANGE = r"(?:this|the)\ (?:file|change|commit|diff|code|function|hunk|pr|pull\ request|patch)"
_ADDRESSES = (
    # Take back what the reviewer was told.
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,20}\b(?:previous|prior|above|earlier|preceding|all|your|system)\b"
    r"[^.\n]{0,30}\b(?:instructions?|prompts?|rules|directions|guidelines)\b",
    # Address it and give an order: "Note to the AI reviewer: ... approve", "if you are an LLM, ... skip".
    rf"\b(?:note|message|instructions?|attention|dear|hey|hello|hi)\b[ :,]*(?:to|for)?[ :,]*"
    rf"(?:the\ |any\ |all\ |every\ )?{_REVIEWER}\b[^.\n]{{0,20}}[:,;.!-][^\n]{{0,60}}\b{_ORDER}\b",
    rf"\b{_REVIEWER}\s*[:,]\s*[^.\n]{{0,40}}\b{_ORDER}\b",
    # People write notes to reviewers too, and ask them to skip a file; they do not tell them to approve.
    r"\breviewers?\s*[:,]\s*[^.\n]{0,40}"
    r"\b(?:approve\ (?:this|it|the)|do\ not\ (?:report|flag)|(?:mark|rate)\ (?:this|it))\b",
    rf"\bif\ you(?:'re|\ are)\ (?:an?\ |the\ )?{_REVIEWER}\b[^\n]{{0,80}}\b{_ORDER}\b",
    rf"(?:^|\W)(?:@|(?:hey|hi|hello|dear|note\ to|attention)\ )?{_NAME}\s*[:,]\s*[^\n]{{0,60}}"
    rf"\b(?:{_ORDER}|say\ \W?lgtm)",
    rf"\bto\ (?:any|all|the|every)\ {_REVIEWER}\b[^.\n]{{0,30}}[:,]\s*[^\n]{{0,40}}\b{_ORDER}\b",
    r"\byou\ are\ now\ (?:in|an?)\ [\w-]{0,20}\ ?(?:approval|approving|developer|unrestricted)\ mode",
    r"\b(?:return|output|respond\ with)\ an\ empty\ [\w-]+\ (?:array|list)\ for\ this\ (?:file|change|commit|diff|hunk)\b",
    r"\b(?:do\ not|don't|never)\ (?:report|flag|mention)\ the\ [\w\ -]{0,30}"
    r"\b(?:key|secret|password|token|credentials?|vulnerabilit(?:y|ies)|injection|backdoor)\b[^.\n]{0,12}\b(?:below|above|here|in\ this)\b",
    rf"@{_REVIEWER}\b[ :,]*[^.\n]{{0,20}}\b{_ORDER}\b",
    r"\b(?:forget|ignore|disregard)\ (?:everything|all|anything)\ (?:that\ )?you\ (?:were|have\ been|'ve\ been|know)",
    r"\bsystem\ (?:prompt|message|instruction)s?\b[^.\n]{0,20}\b(?:override|overridden|update|changed?)\w*\s*[:.-]",
    r"\b(?:new|updated|real|revised)\ instructions?\s*:[^\n]{0,40}"
    r"\b(?:approve|(?:report|return|output)\ (?:no|an\ empty)|mark\ (?:all|this|every)|respond|ignore)\b",
    # Dictate the result.
    r"\breviewers?\ (?:should|must|shall|will|has\ to)\ (?:\w+\ )?"
    r"(?:return|report|output|give|produce)\ (?:an\ empty|no|zero)\b",
    r"\b(?:do\ not|don't|never)\ (?:report|flag|raise|list)\ (?:any\ )?findings\b",
    rf"\b(?:do\ not|don't|never)\ (?:report|flag|mention|raise|list)"
    rf"(?:\ (?:any|the|these|this|potential|security)){{0,3}}\ {_THINGS}\b[^.\n]{{0,30}}"
    rf"\b(?:in|about|with|for)\ {_THIS_CHANGE}\b",
    rf"\b(?:approve|accept|pass)\ {_THIS_CHANGE}\b[^.\n]{{0,40}}"
    rf"\b(?:without|unconditionally|immediately|regardless|no\ matter|no\ need\ to\ review)\b",
    r"\b(?:as|you\ are)\ (?:an?\ |the\ )?(?:[\w-]+\ ){0,2}reviewer\b[^\n]{0,60}"
    r"\b(?:approve|(?:report|return)\ no|ignore\ (?:all|any)|(?:mark|rate)\ (?:this|it)|do\ not\ (?:report|flag))\b",
    r"\b(?:do\ not|don't|never)\ (?:report|flag|mention|raise)\ any\ "
    r"(?:issues?|findings?|problems?|bugs?|vulnerabilit)",
    r"\bignore\ (?:all|any)\ (?:the\ )?(?:security\ )?(?:issues|findings|problems|vulnerabilities)\b",
    r"\b(?:respond|reply|answer|output|say)\b[^.\n]{0,20}\b(?:lgtm|no\ (?:issues|findings|problems)|approved)\b",
    r"\brespond\ (?:only\ )?with\ (?:an\ empty\ (?:list|array)|no\ findings|[\"'`]?(?:ok|lgtm)\b)",
)
_CHAT_MARKER = lazy(
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|>|\[/?INST\]|<</?SYS>>"
)
_OWN_MARK = lazy(r"\blrc:\s*ignore\[[^\]]*\]", re.IGNORECASE)
"""What lrc itself obeys, and lists."""
_COMMENT_MARK = lazy(r"^\s*(?:#+|//+|/\*+|\*+/?|--+|<!--|;+|%+|\"\"\"|''')?\s*")


class ReviewerAddress:
    """Sentences that tell an automated reviewer what to say. The review goes on as always: they are only reported."""

    name = "reviewer-address"
    scope = Scope.CODE

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """One finding a line; a sentence that wraps is found on its first line."""
        previous: Line | None = None
        language = language_of(file.path)
        for line in added_lines(file):
            hinted = _HINT.search(line.text) is not None
            if hinted and _addresses(line.text):
                yield from self._report(file, line, Severity.HIGH)
                previous = None
                continue
            if previous and _follows(previous, line) and (hinted or _HINT.search(previous.text)):
                if _addresses(f"{_plain(previous.text)} {_plain(line.text)}"):
                    yield from self._report(file, previous, Severity.HIGH)
            elif hinted and _CHAT_MARKER.search(line.text) and not _CHAT_MARKER.search(code_of(line.text, language)):
                yield from self._report(file, line, Severity.MEDIUM)
            previous = line

    def _report(self, file: FileDiff, line: Line, severity: Severity) -> Iterator[Finding]:
        if is_test_path(file.path):
            severity = Severity.LOW
        message = "This text gives orders to an automated reviewer; it was not obeyed. Check why it is here"
        yield finding_at(file, line, self, severity, Category.SECURITY, message, confidence=0.85)


@cache
def _compiled() -> tuple[re.Pattern[str], ...]:
    """The patterns, compiled on the first line that needs them: it takes longer than most reviews of detectors."""
    return tuple(re.compile(pattern, re.IGNORECASE | re.VERBOSE) for pattern in _ADDRESSES)


def _addresses(text: str) -> bool:
    text = _OWN_MARK.sub("", text)
    return any(pattern.search(text) for pattern in _compiled())


def _follows(previous: Line, line: Line) -> bool:
    return previous.new is not None and line.new == previous.new + 1


def _plain(text: str) -> str:
    return _COMMENT_MARK.sub("", text, count=1).strip()
