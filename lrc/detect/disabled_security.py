"""Protections switched off and input handed to what runs it, by syntax rules for each language."""

from collections.abc import Iterator
from dataclasses import replace

from lrc.detect.detector import Scope, finding_at
from lrc.detect.insecure import rules_for
from lrc.detect.insecure.shell import COMMANDS, HINT, LANGUAGES
from lrc.detect.lines import fresh_lines
from lrc.detect.rules import apply_rules
from lrc.diff import FileDiff
from lrc.findings import Category, Finding, Severity
from lrc.language import language_of
from lrc.patterns import lazy
from lrc.syntax import code_of, is_build_path, is_example_path, is_test_path

_API = lazy(r"(?i)(?:^|/)(?:\w*api\w*|webhooks?)(?:/|_|\.|controller)|webhook")
"""What other programs call: they send no cookies, so nobody can forge a request for a user."""


class DisabledSecurity:
    """Calls and settings that every security review asks about; tests and examples may do as they like."""

    name = "disabled-security"
    scope = Scope.CODE

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """One finding a rule and line."""
        if is_test_path(file.path) or is_example_path(file.path):
            return
        language = language_of(file.path, text or "")
        if language in LANGUAGES:
            yield from self._commands(file, language)
        for finding in apply_rules(file, text, language, rules_for(language), self):
            # Whoever runs a build or a tool of the project already runs what it says: worth a word, not a block.
            of_build = is_build_path(file.path)
            if (of_build and finding.message.startswith("Backticks")) or (
                "forged" in finding.message and _API.search(file.path)
            ):
                continue
            mild = of_build and finding.severity > Severity.MEDIUM
            yield replace(finding, severity=Severity.MEDIUM) if mild else finding

    def _commands(self, file: FileDiff, language: str) -> Iterator[Finding]:
        """One finding a line of a script, an image or a workflow."""
        before = [line.text for hunk in file.hunks for line in hunk.removed if HINT.search(line.text)]
        for line in fresh_lines(file):
            if not HINT.search(line.text):
                continue
            code = code_of(line.text, language)
            for command in COMMANDS:
                if command.pattern.search(code):
                    if any(command.pattern.search(code_of(old, language)) for old in before):
                        break  # it was so, and is changed in something else
                    yield finding_at(
                        file, line, self, command.severity, Category.SECURITY, command.message, confidence=0.9
                    )
                    break
