"""What the texts of a `Claim` have in common on cores and on a GPU: its expressions, as text."""

from __future__ import annotations

from typing import Any

from emv.codegen.expressions import ExpressionText, as_stored, cast
from emv.codegen.place import Place
from emv.codegen.sending import RECEIVE, paste
from emv.codegen.worker import Worker
from emv.codegen.writer import Writer
from emv.dtypes import short_name
from emv.ir import body as b
from emv.ir import schedule as s


def receiver_field(text: Any) -> Any:
    """Return the field that is claimed."""
    return text.launch.receive.function.record.fields[text.launch.shortcut.field]


def parameter_of(launch: s.Launch) -> Any:
    """Return the receiver's parameter that takes the message."""
    receive = launch.receive
    assert receive is not None
    name = next(each.name for each in receive.args if isinstance(each.source, s.Values))
    return next(each for each in receive.function.parameters if each.name == name)


def is_message(claim: s.Claim) -> bool:
    """Return whether the field becomes what the receiver is sent."""
    return claim.message is not None and isinstance(claim.value, b.Local)


def taken_text(text: Any, reader: ExpressionText) -> str:
    """Return the message as the receiver takes it, and as the field stores that if it does."""
    launch, claim = text.launch, text.launch.shortcut
    made, given = reader.text(claim.message), claim.message.type
    kinds = [launch.body.message, parameter_of(launch).type]
    if is_message(claim):
        kinds.append(short_name(receiver_field(text).dtype))
    for kind in dict.fromkeys(kinds):
        made, given = cast(made, given, kind), kind
    return made


def value_text(text: Any, writer: Writer) -> str:
    """Return what the field becomes, made of the receiver's parameters, as it is stored."""
    kind = short_name(receiver_field(text).dtype)
    place = Place({}, {}, RECEIVE, text.unit.written)
    reader = ExpressionText(writer, place, text.launch.receive.function.name)
    return as_stored(reader.text(text.launch.shortcut.value, kind), kind)


def also_text(text: Any, writer: Writer, vertex: str) -> str:
    """Return what else is asked of a receiver, behind ``and``; empty if nothing is."""
    if text.launch.shortcut.also is None:
        return ""
    place = Place({"own": vertex}, {}, RECEIVE, text.unit.written)
    return f" and {ExpressionText(writer, place, '').text(text.launch.shortcut.also)}"


def received(text: Any, worker: Worker, vertex: str, claimed: bool) -> None:
    """Write the receiver's reaction to the message, its tests being known to hold."""
    launch, claim, field = text.launch, text.launch.shortcut, receiver_field(text)
    writer = worker.writer
    drawn = f"np.int64({writer.copies.vertex(vertex)})"
    place = worker.place(RECEIVE, {"own": vertex}, {}, element=drawn)
    if is_message(claim) and _is_asked(claim, parameter_of(launch).name):
        parameter = parameter_of(launch)
        told = cast("message", short_name(field.dtype), parameter.type)
        writer.add(f"{RECEIVE}{parameter.name} = {told}")
    if not claimed:
        array = place.column(writer, "vertex", claim.field, field.dtype.name)
        writer.add(f"{array}[{vertex}] = message", claim.value.loc)
    paste(worker, place, launch.receive.function, b.Body(claim.then, {}, None, None, ()))


def _is_asked(claim: s.Claim, parameter: str) -> bool:
    """Return whether what is done besides names the parameter."""
    found = b.expressions_in(claim.then)
    return any(isinstance(each, b.Local) and each.name == parameter for each in found)
