"""Where programs on a graph run, and in how many parts: `Graph.on`.

A place is a word, such as ``cuda``, ``cpu/3`` or ``cuda:0,1/hash`` (`emv.config`), so that it can
stand wherever the name of a device does. Owners that are given are kept with the layouts of the
graph, and the word has their number.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import ArrayLike

from emv.config import EXCHANGES, Grouped, check_backend, is_backend
from emv.device import num_devices, reach_each_other
from emv.errors import ArgumentError, BackendUnavailableError, did_you_mean
from emv.graph.partition import GIVEN, LARGEST, WAYS, counted, owners_of
from emv.graph.store import Store

PAYS_FROM = 2**25
"""Arcs from which ``gpus="auto"`` takes several GPUs: below, a superstep is mostly its barriers.

Estimated of the figures of one GPU (docs/design/measured_parts.md), not measured on several.
"""


def on(
    store: Store,
    device: str,
    *,
    parts: int | None = None,
    gpus: int | str | Sequence[str] | None = None,
    by: str | os.PathLike[str] | ArrayLike | Callable[..., ArrayLike] = "ranges",
    exchange: str = "auto",
) -> str:
    """Return this graph, to be run on a device: the same vertices, edges and columns.

    Nothing is copied: what is added to one is in the other.

    Parameters
    ----------
    device : {"auto", "cuda", "cuda:N", "cpu", "python"}
        ``auto`` is the fastest there is: the first GPU, or else the CPU. ``cuda:1`` is the
        second GPU; ``python`` runs programs as plain Python. A GPU is looked for when a
        program runs.
    parts : int, optional
        Run on so many parts of the graph, each with columns of its own, on the CPU: as on
        several devices, and not faster than on one. ``cpu/3`` is the same as three parts.
    gpus : int, "all", "auto" or list of names, optional
        Run on several GPUs, with a part of the graph each: the first so many; all there are; all
        that reach each other's memory if the graph is so large that it may pay, else the first;
        or those named, ``["cuda:0", "cuda:2"]``, of which one may have several parts.
    by : optional
        How parts are made, see `parts`; an array holds for the edges that there are now.
    exchange : {"auto", "host", "peer"}, optional
        Who hands on what GPUs read of each other: the host, between launches; or they
        themselves, in one kernel each, where they reach each other's memory and the program has
        such a form. ``auto`` takes the latter where it can; `explain` says what is taken, and
        why.

    Raises
    ------
    ArgumentError
        If parts are asked for elsewhere than on the CPU, or are none; if ``gpus`` are no such
        thing, or are asked for beside another device than ``cuda``.
    BackendUnavailableError
        If there is no such device, or there are not so many.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> g = Graph.from_edges([0], [1])
    >>> g.on("python").device
    'python'
    >>> g.on("python").edges is g.edges
    True
    >>> g.on("cpu", parts=2, by="hash").device
    'cpu/2/hash'
    >>> g.on("cuda", gpus=["cuda:0", "cuda:2"]).device
    'cuda:0,2'
    """
    if exchange not in EXCHANGES:
        raise ArgumentError(
            f"exchange={exchange!r} is none of {', '.join(EXCHANGES)}."
            + did_you_mean(str(exchange), EXCHANGES)
        )
    if gpus is None and exchange != "auto":
        raise ArgumentError(
            f"exchange={exchange!r} says how several GPUs hand on what they read of each other",
            remedy="Give gpus=, such as g.on('cuda', gpus=2, exchange='host').",
        )
    if gpus is not None:
        _check_kind(device, parts, gpus)
        names = _devices_of(store, gpus)
        if len(names) == 1:
            return check_backend(names[0])
        device = str(Grouped(names, _way(store, len(names), by), exchange))
    elif parts is not None:
        device = _place_of_parts(store, device, parts, by)
    return check_backend(device)


def _check_kind(device: str, parts: int | None, gpus: Any) -> None:
    """Refuse GPUs that are asked for beside something else.

    Raises
    ------
    ArgumentError
        If the device is another one, or parts are asked for, too.
    """
    if device != "cuda":
        raise ArgumentError(
            f"gpus={gpus!r} on {device!r}: several GPUs are asked for on 'cuda'",
            remedy="Give g.on('cuda', gpus=...); gpus=['cuda:1', 'cuda:2'] says which.",
        )
    if parts is not None:
        raise ArgumentError(
            f"parts={parts} and gpus={gpus!r}: on GPUs there is one part for each that is named",
            remedy="Leave parts= out; gpus=['cuda:0', 'cuda:0'] are two parts on one GPU.",
        )


def _devices_of(store: Store, gpus: Any) -> tuple[str, ...]:
    """Return the names of the GPUs that are asked for.

    Raises
    ------
    ArgumentError
        If they are no number, no word and no list of names.
    BackendUnavailableError
        If there are fewer.
    """
    if isinstance(gpus, str):
        return _devices_by_word(store, gpus)
    if isinstance(gpus, list | tuple):
        for name in gpus:
            if not (is_backend(name) and name.startswith("cuda") and "," not in name):
                raise ArgumentError(
                    f"gpus={gpus!r}: {name!r} is no GPU",
                    remedy="They are called cuda:0, cuda:1 ...",
                )
        counted(len(gpus), "gpus", LARGEST)
        return tuple("cuda:0" if name == "cuda" else name for name in gpus)
    number, there = counted(gpus, "gpus", LARGEST), num_devices("cuda")
    if number > there:
        have = "there is one GPU" if there == 1 else f"there are {there} GPUs"
        raise BackendUnavailableError(
            f"gpus={number}: {have}",
            remedy="gpus='all' takes those there are; gpus=['cuda:0', 'cuda:0'] are two parts on "
            "one.",
        )
    return tuple(f"cuda:{k}" for k in range(number))


def _devices_by_word(store: Store, word: str) -> tuple[str, ...]:
    """Return all GPUs, or those that are likely to be soonest done with a graph."""
    if word not in ("all", "auto"):
        raise ArgumentError(
            f"gpus={word!r} is neither a number, 'all', 'auto' nor a list of names."
            + did_you_mean(word, ("all", "auto")),
            remedy="gpus=['cuda:1'] is the GPU of that name.",
        )
    names = tuple(f"cuda:{k}" for k in range(num_devices("cuda")))
    if word == "auto" and not (store.layouts.num_arcs >= PAYS_FROM and reach_each_other(names)):
        return names[:1]
    return names


def _place_of_parts(store: Store, device: str, num_parts: int, by: Any) -> str:
    """Return what a device is called on which a graph runs in parts, such as ``cpu/3``.

    Raises
    ------
    ArgumentError
        If the device is not the CPU.
    """
    if device != "cpu":
        raise ArgumentError(
            f"parts={num_parts} on {device!r}: it is on the CPU that one device has parts",
            remedy="Give g.on('cpu', parts=...), or g.on('cuda', gpus=...) for several GPUs.",
        )
    number = counted(num_parts, "parts", LARGEST)
    way = _way(store, number, by)
    return f"cpu/{number}" if way == "ranges" else f"cpu/{number}/{way}"


def _way(store: Store, num_parts: int, by: Any) -> str:
    """Return what a division is called; owners that are given are kept with the layouts."""
    if isinstance(by, str) and by in WAYS:
        return by
    kept = store.layouts.owners
    name = f"{GIVEN}{len(kept)}"
    kept[num_parts, name] = owners_of(store, num_parts, by)
    return name
