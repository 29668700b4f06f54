"""The word for how messages wait between being sent and being received.

Zhong and He (TPDS 25, 2014) compare arrays, lists and slots known from the graph; here they are
schedules of one text.
"""

from __future__ import annotations

from dataclasses import dataclass

from emv.errors import ArgumentError, did_you_mean

BUFFERS = ("fused", "accumulators", "slots", "sender", "grouped", "lists")


@dataclass(frozen=True)
class Buffer:
    """Let messages wait in some way; see `buffer`."""

    name: str
    insert: str = "list"
    arenas: int = 2

    @property
    def tag(self) -> str:
        """What the schedule calls it: of lists, what grows and whether it is copied."""
        if self.name != "lists":
            return self.name
        grown = "trees" if self.insert == "tree" else "lists"
        return grown if self.arenas == 2 else f"copied {grown}"

    def __str__(self) -> str:
        insert = "" if self.insert == "list" else f", insert={self.insert!r}"
        arenas = "" if self.arenas == 2 else f", arenas={self.arenas}"
        return f"buffer({self.name!r}{insert}{arenas})"


def buffer(name: str, *, insert: str | None = None, arenas: int | None = None) -> Buffer:
    """Return the schedule that lets messages wait in a given way between send and receive.

    The text of a program is the same with all of them, and so is its result. Unasked, messages are
    fused where they can be, else they stand in slots, or are grouped where slots cannot hold them.
    What all vertices send alike along all arcs stays at its source, if it is only heard.

    ================  =============================================================================
    ``fused``         nowhere: folded while they are sent, by the sender or by the receiver
    ``accumulators``  in one accumulator per vertex and fold, by atomic operations
    ``slots``         in an array of E x m slots in the order of receivers: no atomics on what is
                      sent, nothing is grouped
    ``sender``        in E x m slots in the order of senders; a pass brings them to the receivers'
    ``grouped``       at the end of one array, with their receivers; then grouped by receiver
    ``lists``         in one list per receiver, of nodes from an arena that is freed at once; room
                      for what is sent, and not for what could be
    ================  =============================================================================

    Parameters
    ----------
    name : str
        One of those above.
    insert : {"list", "tree"}, optional
        For ``lists``: how a message gets into the list of its receiver. ``"list"`` exchanges the
        head, one atomic operation; by ``"tree"`` it goes left or right at every message that it
        meets, so that many to one vertex part, and each tries log m links on average. By default
        ``"list"``.
    arenas : {1, 2}, optional
        For ``lists``: with 2, which is the default, messages are read where they were put, while
        others are sent into another arena. With 1 they are copied first, which is slower and there
        to be measured.

    Returns
    -------
    Buffer
        For ``schedule=`` of a program's call, for all that sends or by a function's name.

    Raises
    ------
    ArgumentError
        If there is no such buffer, or it has no such choice.

    Notes
    -----
    A run raises an error if nothing sends, or where a buffer cannot hold what is sent: ``fused``
    and ``accumulators`` keep no single messages, which `mlist` and `message` functions and some
    folds need; ``slots`` and ``sender`` hold a known number of messages per arc, so neither
    ``send_to`` nor sends in ``range()`` and ``while`` loops.

    With ``slots`` and ``sender``, a slot in which nothing was sent is skipped: ``initial=`` counts
    once per receiver, not once per slot as in the paper, so it need not be the identity.

    References
    ----------
    .. [1] Zhong, He: Medusa: simplified graph processing on GPUs, TPDS 25, 2014.
    .. [2] Hong, Chen, Chen, Zheng, Lin: MapCG: writing parallel program portable between CPU and
       GPU, PACT 2010.
    .. [3] Mitani, Ino, Hagihara: Towards realizing topology mutation for iterative graph processing
       on a GPU, GPU Technology Conference 2014.

    Examples
    --------
    >>> import emv
    >>> from emv.algorithms import pagerank
    >>> g = emv.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 1])
    >>> ranks = pagerank(g, schedule=emv.buffer("slots"))
    >>> print(ranks.round(2))
    [0.21 0.4  0.39]
    >>> print(pagerank(g, schedule=emv.buffer("lists", insert="tree")).round(2))
    [0.21 0.4  0.39]
    """
    if name not in BUFFERS:
        meant = did_you_mean(name, BUFFERS) if isinstance(name, str) else ""
        raise ArgumentError(
            f"buffer(): there is no buffer {name!r}.{meant}",
            remedy=f"There are {', '.join(BUFFERS)}.",
        )
    for word, value, choices in (("insert", insert, ("list", "tree")), ("arenas", arenas, (1, 2))):
        if value is None:
            continue
        if name != "lists":
            raise ArgumentError(
                f"buffer(): {word}= is for lists, and {name!r} has none.",
                remedy=f'Leave it out, or write emv.buffer("lists", {word}={value!r}).',
            )
        if value not in choices:
            meant = did_you_mean(value, map(str, choices)) if isinstance(value, str) else ""
            raise ArgumentError(
                f"buffer(): {word}= is {' or '.join(map(repr, choices))}, not {value!r}.{meant}"
            )
    return Buffer(name, insert or "list", arenas or 2)
