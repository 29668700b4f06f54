"""A profile as two tables: one row per launch with its phases below it, one row per superstep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from emv.shown.rows import LaunchProfile, SuperstepProfile

MOST_ROWS = 40  # supersteps that are shown one by one
NUM_RANGES = 20  # rows that more of them are put together in
HEAD = ("ms", "frontier", "edges", "bytes", "of copy")


def launch_table(launches: Sequence[LaunchProfile]) -> list[str]:
    """Return the lines of a table of launches, with their phases."""
    return table(("launch", "calls", *HEAD), list(launch_rows(launches)))


def superstep_table(supersteps: Sequence[SuperstepProfile]) -> list[str]:
    """Return the lines of a table of supersteps."""
    return table(("superstep", *HEAD, "how"), list(step_rows(supersteps)))


def launch_rows(launches: Sequence[LaunchProfile]) -> Iterator[list[str]]:
    """Yield the cells of every launch, and of its phases."""
    for each in launches:
        yield [each.name, f"{each.calls:,}", *cells(each)]
        if len(each.phases) > 1 or any(" " in phase.name for phase in each.phases):
            for phase in each.phases:
                yield [f"  {phase.name}", f"{phase.calls:,}", milliseconds(phase.seconds)]


def step_rows(supersteps: Sequence[SuperstepProfile]) -> Iterator[list[str]]:
    """Yield the cells of every superstep, or of ranges of them."""
    steps = list(supersteps)
    if steps and steps[0].number == 0:
        first = steps.pop(0)
        yield ["before", *cells(first), how_of([first])]
    if len(steps) <= MOST_ROWS:
        for each in steps:
            yield [str(each.number), *cells(each), how_of([each])]
        return
    length = -(-len(steps) // NUM_RANGES)
    for begin in range(0, len(steps), length):
        part = steps[begin : begin + length]
        yield [f"{part[0].number}-{part[-1].number}", *sums(part), how_of(part)]


def sums(part: list[SuperstepProfile]) -> list[str]:
    """Return the cells of some supersteps together."""
    seconds = sum(each.seconds for each in part)
    whole = sum(each.share * each.seconds for each in part)
    return [
        milliseconds(seconds),
        f"{sum(each.frontier for each in part):,}",
        f"{sum(each.edges for each in part):,}",
        f"{sum(each.bytes_moved for each in part):,}",
        percent(whole / seconds if seconds else 0.0),
    ]


def cells(row: LaunchProfile | SuperstepProfile) -> list[str]:
    """Return the cells that launches and supersteps have in common."""
    numbers = [f"{each:,}" for each in (row.frontier, row.edges, row.bytes_moved)]
    return [milliseconds(row.seconds), *numbers, percent(row.share)]


def how_of(part: list[SuperstepProfile]) -> str:
    """Return how some supersteps ran: directions, and whether one block ran them."""
    found = list(dict.fromkeys(each.how for each in part if each.how))
    alone = sum(each.one_block for each in part)
    if alone:
        found.append("one block" if alone == len(part) else f"one block in {alone:,}")
    return ", ".join(found)


def milliseconds(seconds: float) -> str:
    """Return a time in milliseconds, to the microsecond."""
    return f"{1e3 * seconds:,.3f}"


def percent(share: float) -> str:
    """Return a share.

    Examples
    --------
    >>> percent(0.5), percent(0.0123), percent(0)
    ('50 %', '1.2 %', '-')
    """
    if not share:
        return "-"
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.1f} %"


def table(head: tuple[str, ...], rows: list[list[str]]) -> list[str]:
    """Return lines of aligned columns: the first and a last one called ``how`` to the left."""
    rows = [list(head), *([*row, *[""] * (len(head) - len(row))] for row in rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = []
    for row in rows:
        shown = [
            f"{cell:{'<' if name in ('launch', 'superstep', 'how') else '>'}{width}}"
            for name, cell, width in zip(head, row, widths, strict=True)
        ]
        lines.append("  ".join(shown).rstrip())
    return lines
