"""Calls that cost money or a round trip each, made once per turn of a loop."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lrc.detect.detector import Scope, finding_at
from lrc.detect.lines import fresh_lines
from lrc.detect.rules import nodes_of, parse, product_code
from lrc.diff import FileDiff
from lrc.findings import Category, Finding, Severity
from lrc.patterns import lazy

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_CALLS = {
    "python": ("call",),
    "javascript": ("call_expression",),
    "typescript": ("call_expression",),
    "tsx": ("call_expression",),
    "go": ("call_expression",),
    "java": ("method_invocation",),
    "ruby": ("call",),
    "php": ("member_call_expression",),
    "csharp": ("invocation_expression",),
    "rust": ("call_expression",),
}
_LOOP_KINDS = (
    "for_statement while_statement for_in_statement do_statement enhanced_for_statement foreach_statement for "
    "for_each_statement list_comprehension generator_expression while until for_expression"
)
_LOOPS = frozenset(_LOOP_KINDS.split())
_FUNCTIONS = (
    "function_definition",
    "function_declaration",
    "method_definition",
    "method_declaration",
    "func_literal",
    "lambda",
    "method",
)
_EACH = lazy(r"\.(?:map|forEach|flatMap|each|each_with_index|filter|reduce)\s*(?:\(|\{|do\b)")
_SERVICE = (
    r"(?:s3|dynamo(?:db)?|sqs|sns|lambda|kms|(?<![a-z])ses|ec2|ssm|secrets_?manager|sfn|kinesis|firehose|bedrock|textract|rekognition|"
    r"comprehend|translate|polly|bucket|blob|storage|firestore|bigquery|bq|pub_?sub|cosmos|key_?vault|openai|anthropic|"
    r"gemini|cohere|llm|stripe|twilio|sendgrid|vision|maps|geocod\w+)"
)
_AWS_CALL = (
    r"(?:put_?object|get_?object|head_?object|delete_?object|copy_?object|upload_?fileobj|download_?fileobj|put_?item|get_?item|"
    r"update_?item|delete_?item|send_?message|put_?record|get_?secret_?value|get_?parameter|invoke_?model|start_?execution|"
    r"run_?instances)(?:Async)?"
)
_MODEL_CALL = (
    r"(?:(?:chat\.)?completions\.create|messages\.create|embeddings\.create|responses\.create|generate_?content(?:_?async)?|"
    r"create_?chat_?completion)"
)
_SERVICE_CALL = (
    r"(?:upload_?file|download_?file|publish|invoke(?:_?async)?|decrypt|encrypt|send_?email|detect_?\w+|analy[sz]e_?\w+|"
    r"translate_?text|synthesize_?speech|(?:\w+\.)*create|complete|embed(?:_?query|_?content)?|geocode|query|"
    r"insert_?rows?(?:_json)?|upload|download|"
    r"\w+_detection|translate|download_as_\w+|upload_from_\w+)"
)
_CLOUD = lazy(
    rf"(?P<receiver>[\w.$>()\[\]\"'-]*?{_SERVICE}\w*(?:\([^()]*\))?[\"')]*)(?:\.|->)(?P<call>{_AWS_CALL}|{_MODEL_CALL}|{_SERVICE_CALL})\("
    rf"|(?P<client>[\w.$]*?(?:client|table|queue|topic|bucket|aws\w*))(?:\.|->)(?P<action>{_AWS_CALL}|{_MODEL_CALL})\("
    r"|(?P<sender>[\w.$]*)\.(?P<command>send\(\s*new\s+\w+Command)\("
    rf"|[\w.$]*\.(?P<asked>generate_?content(?:_?async)?|create_?chat_?completion|chat\.completions\.create|chat(?=\(\s*parameters:))\("
    r"|(?P<asked_by_name>generate(?:Text|Object)|streamText)\(\s*\{"
    r"|[\w.$]*\.collection\([^()]*\)\.doc(?:ument)?\([^()]*\)\.(?P<document>get|set|update|delete)\("
    r"|[\w.$]*(?:dynamo\w*|doc(?:ument)?_?client)\.(?P<item>put|get|update|delete|query)\("
    r"|[\w.$]*\.(?P<input>\w+)\([^()]*&(?:s3|dynamodb|sqs|sns|lambda|kms|ses|secretsmanager|ssm)\.\w+Input\b",
    re.IGNORECASE,
)
_HINT = lazy(
    r"(?i)s3|dynamo|sqs|sns|lambda|kms|ses|ec2|ssm|secret|sfn|kinesis|firehose|bedrock|textract|rekognition|comprehend|"
    r"translate|polly|bucket|blob|storage|firestore|bigquery|bq|pub_?sub|cosmos|vault|openai|anthropic|gemini|cohere|llm|"
    r"stripe|twilio|sendgrid|vision|maps|geocod|client|table|queue|topic|aws|command\(|"
    r"generate_?(?:text|object|content)|streamtext|completion|\.chat\(|input\b|\.collection\("
)
"""A name of a service; spares nearly all lines the long pattern."""
_BATCHED = lazy(
    r"(?i)batch|bulk|chunk|paginat|page|pages\b|retr(?:y|ies)|attempt|backoff|regions?\b|\brange\(\s*[1-5]\s*\)|max_tries|poll|stream|shards?\b"
)
_MODEL = lazy(r"(?i)openai|anthropic|gemini|cohere|llm|bedrock|embed")


class CloudLoops:
    """One cloud call a turn, where the service takes many at once or the bill grows with the data."""

    name = "cloud-loops"
    scope = Scope.CODE

    def scan(self, file: FileDiff, text: str | None) -> Iterator[Finding]:
        """One finding a call."""
        language = product_code(file, text, _CALLS)
        if not text or not language:
            return
        added = {line.new: line for line in fresh_lines(file) if line.new is not None and _is_cloud(line.text)}
        for node in nodes_of(parse(language, text), _CALLS[language]) if added else ():
            line = added.get(node.range().start.line + 1)
            match = _CLOUD.match(node.text()) if line else None
            head = _loop_around(node) if match else ""
            if line and match and head and not _BATCHED.search(head + match[0]):
                if _is_common(match) and not _is_service(match):
                    continue
                del added[line.new or 0]
                message = _message(match)
                yield finding_at(file, line, self, Severity.MEDIUM, Category.COST, message, confidence=0.8)


def _is_cloud(text: str) -> bool:
    return _HINT.search(text) is not None and _CLOUD.search(text) is not None


def _is_common(match: re.Match[str]) -> bool:
    """True for a verb that many things have which cost nothing."""
    verb = (match["call"] or "").lower() in ("create", "query", "complete", "upload", "download")
    return verb and re.search(rf"(?:^|\.){_MODEL_CALL}\(", match[0], re.IGNORECASE) is None


def _is_service(match: re.Match[str]) -> bool:
    """`create` and `query` are everybody's names; the receiver has to be the service itself."""
    return (
        re.search(
            r"(?i)(?:openai|anthropic|gemini|cohere|stripe|dynamo\w*|bigquery|bq|twilio)(?:_?client)?(?:\.|->|$)",
            match["receiver"] + ".",
        )
        is not None
    )


def _message(match: re.Match[str]) -> str:
    names = ("call", "action", "command", "asked", "asked_by_name", "item", "input", "document")
    call = next(match[name] for name in names if match[name])
    if (
        match["asked"]
        or match["asked_by_name"]
        or _MODEL.search(match[0])
        or re.match(_MODEL_CALL, call, re.IGNORECASE)
    ):
        return "Each turn of this loop pays for a model call: send them together, cache answers, or set a limit"
    return f"Each turn of this loop is a billed request (`{call.split('(')[0]}`): use the batch call, or collect first"


def _loop_around(node: "SgNode") -> str:
    """The head of the loop that repeats `node`, within its function; the empty string when nothing repeats it."""
    for parent in node.ancestors():
        kind = parent.kind()
        text = parent.text()
        if kind in _LOOPS or kind.endswith("_comprehension"):
            return str(text if len(text) < 300 else text[:200])
        if kind in ("call_expression", "call", "method_invocation") and _EACH.search(
            text[: max(0, node.range().start.index - parent.range().start.index)]
        ):
            return str(text[:200])
        if kind in _FUNCTIONS:
            return ""
    return ""
