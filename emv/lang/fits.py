"""Whether the parts of a program fit together: functions and domains, arguments and parameters.

Asked while a program is traced and, in the same words, while it runs eagerly.
"""

from __future__ import annotations

from typing import Any

from emv.errors import LanguageError, Loc, TypeMismatchError
from emv.ir import body as b
from emv.ir import program as ir
from emv.lang.promote import spelled, strong


def elements_of(body: Any) -> list[Any]:
    """Return the elements a body speaks of."""
    nodes: list[Any] = [*b.statements_in(body.statements), *b.expressions_in(body.statements)]
    return [
        value for node in nodes for value in vars(node).values() if isinstance(value, b.Element)
    ]


def check_domain(function: Any, domain: ir.Domain, loc: Loc) -> ir.Domain:
    """Refuse domains on which a function makes no sense."""
    effects, kind = function.effects, function.kind
    edge_writes = [each for each in effects.writes if each.kind == "edge" and each.where == "own"]
    if kind == "edge" and edge_writes and domain.kind != "edges" and domain.kind != "active_edges":
        raise LanguageError(
            f"{function.name}() writes {edge_writes[0].field!r} of its edge, but over {domain} an "
            "undirected edge is visited once in each direction",
            loc,
            f"Apply it to each edge once: {function.name}(g.edges).",
        )
    if kind != "edge" and domain.kind in ("edges", "active_edges"):
        raise TypeMismatchError(
            f"@{kind} function {function.name}() cannot be applied to edges",
            loc,
            "Only @edge functions visit edges.",
        )
    if (kind == "message") != (domain.kind == "messages"):
        raise TypeMismatchError(
            f"@{kind} function {function.name}() cannot be applied to {domain}",
            loc,
            "A @message function is applied to messages, damped = damp(paths); others to a domain.",
        )
    return domain


def wrong_argument(
    function: Any, name: str, given: Any, wanted: Any, loc: Loc
) -> TypeMismatchError:
    """Return the error for an argument of the wrong type."""
    return TypeMismatchError(
        f"{name!r} of {function.name}() is {spelled(wanted)}, but the call gives {spelled(given)}",
        loc,
        f"Declare {name} with the type it receives, or convert the value before.",
    )


def combined_type(operator: Any, kind: Any) -> Any:
    """Return the type of folded messages."""
    kind = strong(kind)
    if operator.name in ("any", "all"):
        return "bool"
    if (
        operator.name in ("sum", "prod")
        and not isinstance(kind, tuple)
        and kind not in ("f32", "f64")
    ):
        return "i64"  # many small integers make a large one
    return kind


def message_record(function: Any) -> Any:
    """Return the message record that a function sends, when it sends records of one class."""
    return function.analysis.sent_record
