"""Conditions as Splink writes them for DuckDB, in the words of rules.

    text ─► tokens ─► calls within calls ─► the same calls as rules name them ─► text

What rules have no word for is a `NoWord`. What they say in another way is said so that it holds for the same values:

- `"name_l"` is `l."name"`.
- `NULLIF(regexp_extract(x, p, k), '')` is a `regexp_replace` that leaves the group, or nothing. Nothing is missing, as NULL is.
- Seconds between dates are days. `CAST(x AS TEXT)` is x, where a measure of text looks at it.
- DuckDB's Jaro-Winkler gives its boost only above a Jaro of 0.7, that of rules always. 0.4 + 0.6 · 0.7 is 0.82: above it both
  are the same. Below, the Jaro is asked for too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

_TOKEN = re.compile(
    r"""\s+ | (?P<text>'(?:[^']|'')*') | (?P<name>"(?:[^"]|"")*") | (?P<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)
      | (?P<word>[^\W\d]\w*) | (?P<sign><=|>=|<>|!=|==|::|\|\||.)""",
    re.VERBOSE | re.DOTALL,
)
_KEYWORDS = {"AND", "OR", "NOT", "BETWEEN", "IN", "IS", "NULL"}
_SIGNS = {"=", "<>", "<", "<=", ">", ">=", "-", ","}
_SAME_SIGN = {"!=": "<>", "==": "="}
# Functions of rules, by the names that DuckDB has for them.
_MEASURES = {
    "levenshtein": "levenshtein", "damerau_levenshtein": "damerau_levenshtein",
    "jaro_similarity": "jaro", "jaro_winkler_similarity": "jaro_winkler", "jaccard": "jaccard",
}  # fmt: skip
_TRANSFORMS = {
    "lower": "lower", "lcase": "lower", "upper": "upper", "ucase": "upper", "trim": "trim", "left": "left", "right": "right",
    "substr": "substr", "substring": "substr", "regexp_replace": "regexp_replace", "strip_accents": "strip_accents",
    "abs": "abs", "year": "year",
}  # fmt: skip
_DAY = 86_400
_NO_BOOST, _SAME_ABOVE = Decimal("0.7"), Decimal("0.82")


class NoWord(Exception):
    """What rules have no word for."""


@dataclass
class Token:
    kind: str
    text: str


@dataclass
class Call:
    """A function with its arguments, or parentheses, which have no name."""

    name: str
    arguments: list[list[Node]]


@dataclass
class Column:
    side: str
    name: str


Node = Token | Call | Column


def condition(sql: str, *, suffixed: bool) -> tuple[str, set[str], list[str]]:
    """The condition, the columns it is about, and what is to be said of it. `suffixed`: columns are `name_l`, not `l.name`."""
    nodes = _columns(_nested(_tokens(sql)), suffixed)
    columns = {node.name for node in _all(nodes) if isinstance(node, Column)}
    doubts: list[str] = []
    return _written(nodes, doubts), columns, doubts


def _tokens(sql: str) -> Iterator[Token]:
    for found in _TOKEN.finditer(sql):
        if found.lastgroup:
            yield Token(found.lastgroup, found.group())


def _nested(tokens: Iterator[Token]) -> list[Node]:
    """Calls within calls. A list of `IN` is in parentheses without a name."""
    lists: list[list[Node]] = [[]]
    calls: list[Call] = []
    for token in tokens:
        if token.text == "(" and token.kind == "sign":
            before = lists[-1][-1] if lists[-1] else None
            named = isinstance(before, Token) and before.kind == "word" and before.text.upper() not in _KEYWORDS
            name = lists[-1].pop().text.lower() if named else ""  # type: ignore[union-attr]
            call = Call(name, [[]])
            lists[-1].append(call)
            calls.append(call)
            lists.append(call.arguments[0])
        elif token.text == ")" and token.kind == "sign":
            if not calls:
                raise NoWord("a parenthesis that nothing opens")
            calls.pop()
            lists.pop()
        elif token.text == "," and token.kind == "sign" and calls:
            calls[-1].arguments.append([])
            lists[-1] = calls[-1].arguments[-1]
        else:
            lists[-1].append(token)
    if calls:
        raise NoWord("a parenthesis that nothing closes")
    return lists[0]


def _columns(nodes: Sequence[Node], suffixed: bool) -> list[Node]:
    """The same, with columns found out."""
    found: list[Node] = []
    at = 0
    while at < len(nodes):
        node = nodes[at]
        if isinstance(node, Call):
            node.arguments = [_columns(argument, suffixed) for argument in node.arguments]
        elif isinstance(node, Token) and node.kind in ("name", "word") and node.text.upper() not in _KEYWORDS:
            after = [part.text if isinstance(part, Token) else "" for part in nodes[at + 1 : at + 3]]
            name = _bare(node)
            if name.lower() in ("l", "r") and after[:1] == ["."] and len(after) == 2 and after[1]:
                node = Column(name.lower(), _bare(nodes[at + 2]))
                at += 2
            elif suffixed and name[-2:].lower() in ("_l", "_r") and len(name) > 2:
                node = Column(name[-1].lower(), name[:-2])
            elif node.kind == "name":
                raise NoWord(f'`"{name}"`, which is a column of neither record')
        found.append(node)
        at += 1
    return found


def _bare(node: Node) -> str:
    text = node.text if isinstance(node, Token) else ""
    return text[1:-1].replace('""', '"') if text.startswith('"') else text


def _all(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        if isinstance(node, Call):
            for argument in node.arguments:
                yield from _all(argument)


def _written(nodes: Sequence[Node], doubts: list[str]) -> str:
    words: list[str] = []
    at = 0
    while at < len(nodes):
        compared = _compared(nodes[at : at + 3], doubts)
        words.append(_one(nodes[at], doubts) if compared is None else compared)
        at += 1 if compared is None else 3
    return " ".join(words)


def _one(node: Node, doubts: list[str]) -> str:
    if isinstance(node, Column):
        is_plain = re.fullmatch(r"[A-Za-z_]\w*", node.name, re.ASCII)
        quoted = node.name if is_plain else '"' + node.name.replace('"', '""') + '"'
        return f"{node.side}.{quoted}"
    if isinstance(node, Call):
        return _call(node, doubts)
    if node.kind in ("text", "number"):
        return node.text
    if node.kind == "word" and node.text.upper() in _KEYWORDS:
        return node.text.upper()
    sign = _SAME_SIGN.get(node.text, node.text)
    if node.kind == "sign" and sign in _SIGNS:
        return sign
    raise NoWord(f"`{node.text}`")


def _call(call: Call, doubts: list[str]) -> str:
    if call.name == "nullif":
        return _extracted(call, doubts)
    if call.name == "try_strptime" and len(call.arguments) == 2 and _text_of(call.arguments[1]) == "'%Y-%m-%d'":
        # A column of dates has dates as values; others are missing there.
        return _written(call.arguments[0], doubts)
    arguments = call.arguments
    if call.name in _MEASURES:
        arguments = [_as_text(argument) for argument in arguments]
    written = ", ".join(_written(argument, doubts) for argument in arguments)
    if not call.name:
        return f"({written})"
    name = _MEASURES.get(call.name) or _TRANSFORMS.get(call.name)
    if name is None:
        raise NoWord(f"`{call.name}(…)`")
    return f"{name}({written})"


def _as_text(argument: list[Node]) -> list[Node]:
    """Measures of text see a value as it is written, whatever its kind."""
    if len(argument) == 1 and isinstance(argument[0], Call) and argument[0].name == "cast":
        inner = argument[0].arguments[0]
        if len(argument[0].arguments) == 1 and _text_of(inner[-2:]).upper() in ("AS TEXT", "AS VARCHAR"):
            return inner[:-2]
    return argument


def _extracted(call: Call, doubts: list[str]) -> str:
    inner = call.arguments[0][0] if call.arguments[0] else None
    is_known = len(call.arguments) == 2 and _text_of(call.arguments[1]) == "''" and len(call.arguments[0]) == 1
    if not is_known or not isinstance(inner, Call) or inner.name != "regexp_extract" or len(inner.arguments) not in (2, 3):
        raise NoWord("`nullif(…)` of anything but `regexp_extract(…)` and ''")
    pattern = _text_of(inner.arguments[1])
    group = _text_of(inner.arguments[2]) if len(inner.arguments) == 3 else "0"
    if not pattern.startswith("'") or group not in set("01234567"):
        raise NoWord("`regexp_extract(…)` whose pattern and group are not constants")
    # The first match, as short a text before it as can be; or all, and then the group is empty.
    whole = f"'^(?:(?s:.*?)({pattern[1:-1]})(?s:.*)|(?s:.*))$'"
    value = _written(inner.arguments[0], doubts)
    doubts.append("a value that its pattern does not find is missing for rules, and differs from all others for Splink")
    return f"regexp_replace({value}, {whole}, '\\{int(group) + 1}')"


def _compared(nodes: Sequence[Node], doubts: list[str]) -> str | None:
    """A measure, a sign and a constant, where the constant matters to how the measure is said."""
    if len(nodes) < 3:
        return None
    call, sign, constant = nodes
    is_known = isinstance(call, Call) and isinstance(sign, Token) and isinstance(constant, Token)
    if not is_known or constant.kind != "number":  # type: ignore[union-attr]
        return None
    assert isinstance(call, Call) and isinstance(sign, Token) and isinstance(constant, Token)
    limit = Decimal(constant.text)
    if call.name == "abs" and len(call.arguments) == 1:
        return _days(call.arguments[0], sign.text, limit, doubts)
    if call.name == "jaro_winkler_similarity" and limit <= _SAME_ABOVE:
        return _boosted(call, sign.text, limit, doubts)
    if call.name == "damerau_levenshtein" and limit >= 2:
        doubts.append("rules edit no piece of a text twice, DuckDB does: a few pairs are further apart than there")
    return None


def _days(difference: Sequence[Node], sign: str, seconds: Decimal, doubts: list[str]) -> str | None:
    epochs = [node for node in difference if isinstance(node, Call) and node.name == "epoch"]
    if not epochs:
        return None
    if len(epochs) != 2 or len(difference) != 3 or _text_of(difference[1:2]) != "-" or sign not in ("<=", "<"):
        raise NoWord("`epoch(…)` in anything but `abs(epoch(…) - epoch(…)) <= …`")
    left, right = (_written(epoch.arguments[0], doubts) for epoch in epochs)
    # Dates are whole days apart.
    days = int(seconds // _DAY)
    days -= sign == "<" and seconds == days * _DAY
    return f"abs({left} - {right}) <= {days}"


def _boosted(call: Call, sign: str, limit: Decimal, doubts: list[str]) -> str:
    if sign not in (">=", ">"):
        raise NoWord(f"`jaro_winkler_similarity(…) {sign} {limit}`")
    values = ", ".join(_written(_as_text(argument), doubts) for argument in call.arguments)
    if limit < _NO_BOOST or (limit == _NO_BOOST and sign == ">="):
        # Whatever is boosted was above 0.7 before.
        return f"jaro({values}) {sign} {limit}"
    return f"(jaro_winkler({values}) {sign} {limit} AND jaro({values}) > {_NO_BOOST})"


def _text_of(nodes: Sequence[Node]) -> str:
    return " ".join(node.text if isinstance(node, Token) else "(…)" for node in nodes)
