"""What is read of a user function when it is first used: its typed body, checked as a whole.

Apart from `functions`, so that programs are defined without what reads them.
"""

from __future__ import annotations

from typing import Any

from emv.errors import LanguageError
from emv.ir import body as ir
from emv.lang.analysis import Analysis, analyse
from emv.lang.annotated import annotated_type, message_type
from emv.lang.records import RecordType
from emv.lang.scope import ListRef, Scope
from emv.lang.ways import always_returns

_CHANGES = (ir.AddEdge, ir.AddVertex, ir.ClearEdges, ir.Delete)


def analysed(function: Any) -> Analysis:
    """Return body and effects of a function.

    Raises
    ------
    LanguageError
        If it says something that the language lacks.
    """
    names, records = names_of(function), _message_records(function)
    given = {each.name: each.type for each in function.parameters}
    made = analyse(Scope(function.source, function.python, names, records), given)
    _check(function, made.body)
    return made


def _check(function: Any, body: ir.Body) -> None:
    changes = [each for each in ir.statements_in(body.statements) if type(each) in _CHANGES]
    if function.kind == "message" and changes:
        raise LanguageError(
            f"@message function {function.name}() changes the graph",
            changes[0].loc,
            "It changes its message alone: let the @mlist or @vertex function that is given "
            "the messages change the graph.",
        )
    if function.kind == "message" and body.result is not None:
        raise LanguageError(
            f"@message function {function.name}() returns a value",
            function.loc,
            "Assign to the message instead: m.value = ...",
        )
    if body.result is not None and not always_returns(function.source.tree.body):
        raise LanguageError(
            f"{function.name}() returns a value on some ways through it and none on others",
            function.loc,
            "End every way with a return statement: return 0, for instance.",
        )


def names_of(function: Any) -> dict[str, Any]:
    """Return what the names of a function's parameters mean, by name."""
    names: dict[str, Any] = {each.name: each.type for each in function.parameters}
    kind = "edge" if function.kind == "edge" else "vertex"
    own = ir.Element(kind, "own", function.record)
    is_message = function.kind == "message"
    names[function.element_names[0]] = message_type(function.record) if is_message else own
    if function.list is not None:
        item = function.list.item
        if function.list.kind == "edges":
            names[function.element_names[1]] = ListRef("edges", item)
        else:
            record = item if isinstance(item, RecordType) else None
            kind_of = message_type(record) if record else annotated_type(item)
            names[function.element_names[1]] = ListRef("messages", record, kind_of)
    return names


def _message_records(function: Any) -> dict[str, Any]:
    records = {each.name: each.record for each in function.parameters if each.record is not None}
    if function.kind == "message":
        records[function.element_names[0]] = function.record
    return records
