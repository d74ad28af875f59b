"""Print every error and warning of the package as one Markdown page, to read them side by side.

Placeholders are shown as in the source: ``{name}`` stands for the value of that expression.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import skbayeseval

PACKAGE = Path(skbayeseval.__file__).parent


class Message(NamedTuple):
    """A message, the class of the error or warning, and the line that raises it."""

    line: int
    kind: str
    text: str


def messages_of(source: str) -> Iterator[Message]:
    """Yield the messages of errors raised and warnings given in Python source."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            call = node.exc
            values = [*call.args, *(keyword.value for keyword in call.keywords)]
            yield Message(node.lineno, ast.unparse(call.func), " ".join(map(text_of, values[:1])))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "warnings.warn":
            kind = ast.unparse(node.args[1]) if len(node.args) > 1 else "UserWarning"
            yield Message(node.lineno, kind, text_of(node.args[0]))


def text_of(node: ast.expr) -> str:
    """Return the text of an expression, with placeholders in braces."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of, node.values))
    if isinstance(node, ast.FormattedValue):
        return f"{{{ast.unparse(node.value)}}}"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return text_of(node.left) + text_of(node.right)
    return f"{{{ast.unparse(node)}}}"


def page() -> str:
    """Return the page."""
    lines = ["# Errors and warnings", ""]
    for path in sorted(PACKAGE.rglob("*.py")):
        found = sorted(messages_of(path.read_text(encoding="utf-8")))
        if found:
            lines += [f"## {path.relative_to(PACKAGE.parent).as_posix()}", ""]
            lines += [f"- {one.line}, {one.kind}: {' '.join(one.text.split())}" for one in found]
            lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    print(page())
