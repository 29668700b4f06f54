"""Whether the parts of a program fit together: functions and domains, arguments and parameters.

Asked while a program is traced and, in the same words, while it runs eagerly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emv.errors import (
    ArgumentError,
    FieldError,
    LanguageError,
    Loc,
    TypeMismatchError,
    did_you_mean,
)
from emv.ir import body as b
from emv.ir import program as ir
from emv.lang.annotated import message_type
from emv.lang.promote import spelled, storable, strong
from emv.lang.records import REQUIRED
from emv.lang.slips import UNDECORATED
from emv.lang.source import caller_loc

GIVEN = {"vertex": ("id", "out_degree", "in_degree"), "edge": ("id",)}


def elements_of(body: Any) -> list[Any]:
    """Return the elements a body speaks of."""
    return list(body.elements)


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
            f"@{kind} function {function.name}() cannot be applied to "
            + ("messages" if domain.kind == "messages" else str(domain)),
            loc,
            f"A @message function is applied to messages: {function.name}(paths)."
            if kind == "message"
            else "Apply it to messages.receivers, and hand the messages over as an argument.",
        )
    return domain


def refuse_eager_only(function: Any) -> None:
    """Refuse to compile a function that prints or stops in the debugger.

    Raises
    ------
    LanguageError
        At the first such call.
    """
    for stmt in b.statements_in(function.body.statements):
        if isinstance(stmt, b.EagerOnly):
            raise LanguageError(
                f"{stmt.what}() runs only in eager Python",
                stmt.loc,
                "Run the program with backend='python' to print and to step through, or take the "
                "call out.",
            )


def refuse_undirected(function: Any, loc: Loc) -> None:
    """Refuse a function that sets fields of listed edges on a graph whose edges have two lists."""
    for each in function.effects.writes:
        if each.where == "link" and not each.op:
            raise LanguageError(
                f"{function.name}() sets {each.field!r} of the edges in its list, but an edge of "
                "an undirected graph is in the lists of both its ends",
                loc,
                f"Set it in an @edge function over g.edges, or add to it: {each.field} += x.",
            )


def check_argument(function: Any, name: str, kind: Any, loc: Loc) -> None:
    """Refuse an argument whose type, a number's or a tuple's, does not fit its parameter.

    Raises
    ------
    TypeMismatchError
        If it does not fit, or the parameter is the message list.
    """
    parameter = next((each for each in function.parameters if each.name == name), None)
    if parameter is None:
        raise TypeMismatchError(
            f"{name!r} of {function.name}() takes messages",
            loc,
            f"Hand over what a call sent, not combined: {function.name}(paths.receivers, paths).",
        )
    if kind is None or not storable(strong(kind), parameter.type):
        raise wrong_argument(function, name, kind or "no number", parameter.type, loc)


def check_list(function: Any, name: str, sent: Any, loc: Loc) -> None:
    """Refuse messages of a type that the message list of a @mlist function does not hold."""
    from emv.lang.reading import names_of  # which stands above

    wanted = names_of(function)[name].type
    if not storable(strong(sent), wanted):
        raise wrong_argument(function, name, sent, wanted, loc)


def check_mapped(function: Any, sent: Any, loc: Loc) -> None:
    """Refuse messages of a type that a @message function does not take."""
    if function.kind != "message":
        return  # refused by `check_domain`
    for draw in b.expressions_in(function.body.statements):
        if isinstance(draw, b.Random):
            raise LanguageError(
                f"@message function {function.name}() draws, but messages have no numbers for it",
                draw.loc,
                "Draw in the function that sends, and send what was drawn.",
            )
    wanted = message_type(function.record)
    if not storable(strong(sent), wanted):
        raise wrong_argument(function, function.element_names[0], sent, wanted, loc)


def refuse_result(function: Any, name: str, giver: Any, loc: Loc) -> None:
    """Refuse what a call gave as a value per vertex, unless it is one: a @vertex call's values."""
    if giver.body.result is None:
        sends = giver.effects.sends
        raise TypeMismatchError(
            f"{name!r} of {function.name}() takes a number or a value per vertex, but "
            f"{giver.name}() {'sent messages' if sends else 'returns no value'}",
            loc,
            "Combine them: emv.sum(messages), emv.min(messages), ..."
            if sends
            else f"End {giver.name}() with a return statement.",
        )
    if giver.kind == "edge":
        raise TypeMismatchError(
            f"{name!r} of {function.name}() takes a value per vertex, but @edge function "
            f"{giver.name}() returns one per edge",
            loc,
            "Send it along the edge and combine, or fold it: emv.total, emv.largest, ...",
        )


def refuse_values(giver: Any, loc: Loc) -> None:
    """Refuse to fill a column with what a call gave, unless it returned a value per vertex."""
    if giver.body.result is None or giver.kind == "edge":
        raise TypeMismatchError(
            f"what {giver.name}() gives is not a value per vertex",
            loc,
            "Fill a column with a number, another column, combined messages, or what a @vertex "
            "function returned.",
        )


def wrong_ids(ids: Any, loc: Loc) -> ArgumentError:
    """Return the error for something that is neither a vertex id nor a list of them."""
    if isinstance(getattr(ids, "expr", None), ir.Scalar):
        given = f"{ids.expr}, a number of type {ids.expr.type}"
    else:
        given = repr(ids.item() if isinstance(ids, np.generic) else ids)
    return ArgumentError(
        f"g.only() takes a vertex id or a list of ids, not {given}",
        loc,
        "Ids are whole numbers from 0 on; g.id_of(label) finds the id of a label.",
    )


def set_once(graph: Any, own: frozenset[str], name: str, value: Any) -> None:
    """Set one of the own attributes of the ``g`` of a program, the first time; refuse all else.

    A function without its decorator gets ``g`` itself, and what it sets would be lost.
    """
    if name not in own or name in vars(graph):
        raise FieldError(
            f"the g of a program has no {name!r} to set",
            caller_loc(),
            "A column is filled as g.vertices.rank[:] = 0. " + UNDECORATED,
        )
    vars(graph)[name] = value


def no_such_name(name: str, graph: Any, loc: Loc) -> FieldError:
    """Return the error for an attribute that the ``g`` of a program lacks."""
    known = [each for each in (*dir(type(graph)), "vertices", "edges") if each[0] != "_"]
    return FieldError(
        f"the g of a program has no {name!r}",
        loc,
        f"Columns are reached as g.vertices.rank and g.edges.length. {UNDECORATED}"
        + did_you_mean(name, known),
    )


def check_loop(limit: Any, until: Any, loc: Loc) -> None:
    """Refuse a limit that is no whole number and an ``until`` that is no function.

    ``limit`` is the type of the limit: ``i64``, ``f64`` or ``bool``.
    """
    if limit != "i64":
        raise TypeMismatchError(
            f"limit= is a number of supersteps, not {spelled(limit)}", loc, "Write limit=int(x)."
        )
    if until is not None and not callable(until):
        raise TypeMismatchError(
            f"until= takes a function without arguments, not {until!r}",
            loc,
            "Write until=lambda: change < tol, so that it is asked after every superstep.",
        )


def call_inside_until(loc: Loc) -> LanguageError:
    """Return the error for applying a function while ``until`` is asked."""
    return LanguageError(
        "until= applies a function",
        loc,
        "Apply it in the loop and keep what it gives: until=lambda: change < tol.",
    )


def check_operators(function: Any, operators: dict[str, Any], loc: Loc) -> list[Any]:
    """Return one operator per field of the messages a function leaves, in the fields' order.

    Raises
    ------
    FieldError
        If a field has no operator, or an operator no field.
    """
    record = message_record(function)
    names = list(record.fields) if record is not None else []
    if not names or set(operators) != set(names):
        raise FieldError(
            f"emv.combine needs one operator for each of: {', '.join(names) or 'no fields'}",
            loc,
            "Send message records and name every field: emv.combine(news, cost=emv.min, ...).",
        )
    return [operators[name] for name in names]


def undeclared(program: str, column: ir.Column, known: list[str], loc: Loc) -> FieldError:
    """Return the error for a column that no record of a program declares."""
    return FieldError(
        f"no record of {program}() declares {column.name!r}",
        loc,
        f"Declared are: {', '.join(known) or 'none'}.{did_you_mean(column.name, known)}",
    )


def check_fill(column: ir.Column, loc: Loc) -> None:
    """Refuse to fill what the graph gives."""
    if column.name in GIVEN[column.kind]:
        raise LanguageError(
            f"g.{column} is given by the graph and cannot be filled",
            loc,
            "Declare a field of your own and fill that.",
        )


def two_records(known: Any, field: Any, what: str) -> str:
    """Return what to do about two records whose columns differ; one may be an older one's text."""
    name = known.record.__name__
    if name == field.record.__name__ and known.loc != field.loc:
        return (
            f"{name} is defined twice, here and at {known.loc}: define again what names the older "
            "one, functions and edge records, or run their cells again."
        )
    return f"Records of one program share columns by name: give both one {what}."


def check_one_type(known: Any, field: Any) -> None:
    """Refuse two records of one program that give a column two types, or two defaults."""
    if known is field:
        return
    special = (known.disjoint, known.mask) != (field.disjoint, field.mask)
    if special or known.dtype != field.dtype:
        raise TypeMismatchError(
            f"{known.record.__name__}.{known.name} is {known.spelled}, but "
            f"{field.record.__name__}.{field.name} is {field.spelled}",
            field.loc,
            two_records(known, field, "type"),
        )
    both = [each.default for each in (known, field) if each.default is not REQUIRED]
    if len(both) == 2 and not np.array_equal(np.array(both[0]), np.array(both[1]), equal_nan=True):
        raise TypeMismatchError(
            f"{known.record.__name__}.{known.name} starts as {known.default}, but "
            f"{field.record.__name__}.{field.name} as {field.default}",
            field.loc,
            two_records(known, field, "default"),
        )


def other_length(column: ir.Column, given: ir.Column, loc: Loc) -> TypeMismatchError:
    """Return the error for filling a column of vertices with one of edges, or the reverse."""
    return TypeMismatchError(
        f"g.{given} has another length than g.{column}",
        loc,
        "Fill a column with one of the same kind, vertices or edges.",
    )


def not_whole(column: ir.Column, loc: Loc) -> LanguageError:
    """Return the error for filling a part of a column."""
    return LanguageError(
        "only whole columns are filled in a program",
        loc,
        f"Write g.{column}[:] = value, or apply a @vertex function to g.only(ids).",
    )


def replaced(column: ir.Column, loc: Loc) -> LanguageError:
    """Return the error for assigning to a column's name instead of filling it."""
    return LanguageError(
        f"a column is filled, not replaced: {column.name}", loc, f"Write g.{column}[:] = value."
    )


def check_folded(column: ir.Column, by: Any, loc: Loc) -> None:
    """Refuse to fold anything but an edge column per source or destination."""
    if column.kind != "edge" or by not in ("src", "dst"):
        raise ArgumentError(
            f"folding the column {column} needs an edge column and by='src' or by='dst'",
            loc,
            "Write emv.sum(g.edges.length, by='src'). For one number over a column write "
            "emv.total(g.vertices.rank).",
        )


def check_mask(field: Any, loc: Loc) -> None:
    """Refuse a column as a domain unless it is a mask."""
    if not field.mask:
        raise TypeMismatchError(
            f"{field.record.__name__}.{field.name} is {field.spelled}, which is no domain",
            loc,
            f"A set of vertices is a mask: declare it {field.name}: Mask, and write "
            f"v.{field.name}.set(); or send messages to those that are meant.",
        )


def check_filled(field: Any, kind: Any, loc: Loc) -> None:
    """Refuse to fill a field with values of a type it does not take."""
    if kind is None or field.disjoint:
        return
    if not storable(strong(kind), b.type_of(field.dtype)):
        raise TypeMismatchError(
            f"{field.record.__name__}.{field.name} is {b.type_of(field.dtype)}, the values are "
            f"{spelled(kind)}",
            loc,
            "Convert the values, or declare the field with another type.",
        )


def wrong_result(program: str, value: Any, loc: Loc) -> TypeMismatchError:
    """Return the error for something that a program cannot give back."""
    return TypeMismatchError(
        f"{program}() returns {value!r}",
        loc,
        "Return columns (g.vertices.rank), aggregates, values, or a tuple or dict of them.",
    )


def wrong_argument(
    function: Any, name: str, given: Any, wanted: Any, loc: Loc
) -> TypeMismatchError:
    """Return the error for an argument of the wrong type."""
    return TypeMismatchError(
        f"{name!r} of {function.name}() is {spelled(wanted)}, but the call gives {spelled(given)}",
        loc,
        f"Declare {name} with the type it receives, or convert the value before.",
    )


def message_record(function: Any) -> Any:
    """Return the message record that a function sends or leaves, when its messages are records."""
    if function.kind == "message":
        return None if function.record.plain else function.record
    return function.analysis.sent_record
