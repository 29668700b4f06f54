"""Decide what a superstep of a loop makes for the next one.

*Claims*: where nobody else activates in the loop, the active are those whom the claim found a
superstep ago. It makes their set of bits when it pulls, and counts their arcs when it finds them.
On a GPU that is done where nobody else writes the claimed field either: then a pull also lists whom
it leaves open, and the next one looks at no others (`emv.codegen.cuda.open_pulls`).

*Messages*: a pull whose messages are made once per source walks over all vertices twice, to make
them and to take them. Where its receiver is the only one in the loop that writes what they are made
of, it makes the next ones as well, into a second array, as others still read the first. So does it
what a function before it returns of the same fields, to be summed up. A loop that is entered makes
them first, in the same order, so that sums come out the same wherever it was left. Where parts of a
graph meet in their kernels, a part then hands on messages and not what they are made of, and nobody
makes those of others. One GPU does so where that is faster (`emv.codegen.cuda.next_messages`).
"""

from __future__ import annotations

from typing import Any

from emv.ir import body as b
from emv.ir import schedule as s
from emv.passes.around import Around, by_launch
from emv.passes.hold_arcs import why_all
from emv.passes.meet import MOST_AGGREGATES, aggregates_of, handed_behind
from emv.passes.settle_loops import activations

FOUND = "nobody else activates in its loop: it knows who is active, and how many arcs they have"
LEFT_OPEN = (
    "nobody else activates in its loop, or writes what it claims: a pull asks the in-neighbour "
    "with the most out-arcs first, and the next one looks at those who are left open alone"
)
MADE = "nobody else writes what messages are made of: its receivers make the next ones"
PLACED = "nobody else in its loop has to do with {}: rows stand in the order of receivers meanwhile"
RETURNED = "what it returns is made where the receivers of launch {} make what it reads"
PLAIN = (b.Assign, b.If, b.Send)
LIVELY = (b.Random, b.Find, b.HelperCall)


@by_launch
def follow(launch: s.Launch, around: Around) -> s.Launch:
    """Return a launch that says whether its last superstep made what it begins with."""
    loop, setting = around.loop, around.setting
    if setting.is_piece or loop is None or not loop.compiled:
        return launch
    if setting.target != "cpu":
        if lists_open(around, loop, launch):
            return launch.because(LEFT_OPEN, follows=True)
        makes = hands_next if setting.divided else makes_own
        return makes(around, loop, launch)
    if isinstance(launch.shortcut, s.Claim):
        return launch.because(FOUND, follows=True) if finds_all(loop, launch) else launch
    if setting.copies or setting.divided:
        return launch
    return follow_messages(loop, launch)


def follow_messages(loop: s.LoopStep, launch: s.Launch) -> s.Launch:
    """Return a launch that says whether receivers make its next messages, or what it returns."""
    if makes_next(loop, launch):
        return launch.because(MADE, follows=True)
    taker = taker_of(loop, launch)
    if taker is not None:
        return launch.because(RETURNED.format(taker.number), follows=True)
    return launch


def makes_own(around: Around, loop: s.LoopStep, launch: s.Launch) -> s.Launch:
    """Return a launch on one GPU, whose receivers may make the next messages.

    The loop may be entered once, as what it begins with is made before it.
    """
    takers = [step for step in loop.body if isinstance(step, s.Launch) and makes_next(loop, step)]
    is_outer = any(step is loop for step in around.schedule.body)
    if around.setting.copies or len(takers) != 1 or not is_outer:
        return launch
    return place_rows(around, loop, follow_messages(loop, launch))


def hands_next(around: Around, loop: s.LoopStep, launch: s.Launch) -> s.Launch:
    """Return a launch of parts that meet, whose receivers may hand each other the next messages.

    What these are made of is then handed on by nobody in the loop. So nobody else may read it of
    other parts, and the loop may be entered once: where it begins, parts make all messages of what
    they had before.
    """
    setting, schedule = around.setting, around.schedule
    if not setting.meets or setting.copies or any(why_all(schedule)):
        return launch
    takers = [step for step in loop.body if isinstance(step, s.Launch) and makes_next(loop, step)]
    if len(takers) != 1 or not any(step is loop for step in schedule.body):
        return launch
    launches = [step for step in loop.body if isinstance(step, s.Launch)]
    joined = [each for each in launches if taker_of(loop, each) is takers[0]]
    counted = sum(len(aggregates_of(each)) for each in (*takers, *joined))
    is_apart = all(each.share == "owned" for each in (*takers, *joined))
    if not is_apart or counted > MOST_AGGREGATES or handed_behind(schedule, takers[0]):
        return launch
    return place_rows(around, loop, follow_messages(loop, launch))


def place_rows(around: Around, loop: s.LoopStep, launch: s.Launch) -> s.Launch:
    """Return a launch that makes next messages with the columns whose rows its receivers order.

    These are columns of numbers of which it and what its receivers run besides ask for own rows
    alone, and nobody else in the loop for any. On a GPU a row that stands by itself is a sector of
    memory, which a gather waits for as much as for a message.
    """
    if not (launch.follows and launch.staged) or launch.guard is not None:
        return launch
    launches = [step for step in loop.body if isinstance(step, s.Launch)]
    joined = [each for each in launches if (taker_of(loop, each) or each) is not each]
    own = [launch.send, launch.receiver.function, *(each.send for each in joined)]
    others = [
        function
        for each in launches
        if each.number not in {launch.number, *(one.number for one in joined)}
        for function in s.functions_of(each)
    ]
    receiver = launch.receiver.function.effects
    far = {
        (each.kind, each.field) for each in receiver.reads | receiver.writes if each.where != "own"
    }
    asked = set[tuple[str, str]]().union(*map(columns_of, own))
    elsewhere = far.union(*map(columns_of, others))
    fields = around.schedule.program.fields
    placed = frozenset(
        key for key in asked - elsewhere if key[0] == "vertex" and fields[key].dtype.kind in "iuf"
    )
    body = launch.receiver.function.body
    if not placed or not _is_plain(body, (*PLAIN, b.Store)):
        return launch
    return launch.because(
        PLACED.format(", ".join(sorted(name for _, name in placed))), placed=placed
    )


def columns_of(function: Any) -> set[tuple[str, str]]:
    """Return the columns that a function reads or writes."""
    effects = function.effects
    return {(each.kind, each.field) for each in effects.reads | effects.writes}


def finds_all(loop: s.LoopStep, launch: s.Launch) -> bool:
    """Return whether a loop asks for the active set, and then only a launch activates."""
    steps = [
        step
        for step in loop.body
        if (isinstance(step, s.TakeActive) and step.kind == "vertex")
        or (isinstance(step, s.Launch) and _activates(step))
        or isinstance(step, s.LoopStep)
    ]
    return len(steps) == 2 and isinstance(steps[0], s.TakeActive) and steps[1] is launch


def lists_open(around: Around, loop: s.LoopStep, launch: s.Launch) -> bool:
    """Return whether the pulls of a claim on GPUs list whom they leave open.

    Of several GPUs each needs an order of its own receivers, so it may not hold all arcs; and they
    tell each other in their kernels whom they found, and in their meetings how many are open.
    """
    is_claim, setting = type(launch.shortcut) is s.Claim, around.setting
    if not is_claim or launch.direction != "either" or launch.frontier or setting.copies:
        return False
    if setting.divided and not (setting.meets and not any(why_all(around.schedule))):
        return False
    if setting.meets and len(aggregates_of(launch)) == MOST_AGGREGATES:
        return False
    return finds_all(loop, launch) and stays_claimed(loop, launch)


def _activates(launch: s.Launch) -> bool:
    return any(activations(function, "vertex") for function in s.functions_of(launch))


def makes_next(loop: s.LoopStep, launch: s.Launch) -> bool:
    """Return whether the receivers of a pull can make the messages of the next superstep."""
    is_whole = launch.domain.kind == "all" and launch.layout == "csr" and not launch.args
    is_pull = launch.direction == "pull" and launch.staged and launch.joined
    if not (is_whole and is_pull) or launch.kept or launch.again or launch.double_buffered:
        return False
    return _is_plain(launch.body) and not _others_write(loop, launch, read_by(launch))


def taker_of(loop: s.LoopStep, launch: s.Launch) -> s.Launch | None:
    """Return the launch whose receivers can run a function that only returns something."""
    takers = [step for step in loop.body if isinstance(step, s.Launch) and makes_next(loop, step)]
    is_map = launch.direction == "none" and launch.send.kind == "vertex" and not launch.args
    is_whole = launch.domain.kind == "all" and launch.receive is None and launch.indexed is None
    returns = launch.send.effects.acts <= {"return"} and not launch.send.effects.writes
    is_alone = is_map and is_whole and returns and launch.heard is None
    is_folded = launch.aggregates and launch.returned is None and _is_plain(launch.body)
    if len(takers) != 1 or not (is_alone and is_folded):
        return None
    taker = takers[0]
    comes_first = loop.body.index(launch) < loop.body.index(taker)
    is_fit = comes_first and not _others_write(loop, taker, read_by(launch))
    return taker if is_fit and not (read_by(launch) & taker.send.effects.written) else None


def read_by(launch: s.Launch) -> set[tuple[str, str]]:
    """Return the columns that the function of a launch reads."""
    return {(each.kind, each.field) for each in launch.send.effects.reads}


def _is_plain(body: b.Body, plain: tuple[type, ...] = PLAIN) -> bool:
    """Return whether a body does the same wherever it runs, in a time that is bounded."""
    return all(isinstance(each, plain) for each in b.statements_in(body.statements)) and not any(
        isinstance(each, LIVELY) for each in b.expressions_in(body.statements)
    )


def _others_write(loop: s.LoopStep, launch: s.Launch, fields: set[tuple[str, str]]) -> bool:
    """Return whether anything in a loop but the own receivers of a launch writes some columns."""
    own = {each for each in launch.receiver.function.effects.writes if each.where == "own"}
    for step in loop.body:
        if isinstance(step, s.Launch):
            for function in s.functions_of(step):
                is_own = step is launch and function is launch.receiver.function
                written = function.effects.writes - own if is_own else function.effects.writes
                if fields & {(each.kind, each.field) for each in written}:
                    return True
        elif not isinstance(step, s.SetScalar | s.TakeActive):
            return True  # fills and folds of columns, and what may come to be
    return False


def stays_claimed(loop: s.LoopStep, launch: s.Launch) -> bool:
    """Return whether nothing else in the loop writes what a claim changes, nor it asks for more.

    Then who is claimed stays so, and who is left open may be remembered.
    """
    field = ("vertex", launch.shortcut.field)
    return launch.shortcut.also is None and not _others_write(loop, launch, {field})


def carried(loop: s.LoopStep) -> list[tuple[s.Launch, list[s.Launch]]]:
    """Return the launches of a loop that make next messages, and what else their receivers run.

    If there are several, their receivers run nothing else.
    """
    found: list[Any] = [each for each in loop.body if isinstance(each, s.Launch) and each.follows]
    joined = [each for each in found if each.direction == "none"]
    return [(each, joined) for each in found if each.staged]
