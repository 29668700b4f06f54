"""Kernels as text: as they are written, and what they are compiled to for a GPU."""

from __future__ import annotations

from typing import Any

from emv.errors import ArgumentError, did_you_mean
from emv.runtime.arguments import Call

FORMS = ("python", "ptx", "sass")


def source(form: str, engine: Any, call: Call) -> str:
    """Return the text of the kernels; a line made of one of yours names its file and line.

    Parameters
    ----------
    *args, **named
        The program's own parameters.
    form : {"python", "ptx", "sass"}
        As they are written; or, of a graph on a GPU, what they are compiled to: PTX, or the
        instructions of that GPU, which ``nvdisasm`` lists (``nvidia-cuda-nvdisasm``).
    schedule, precision : optional
        As `run` takes them.

    Raises
    ------
    ArgumentError
        If there is no such form, or none of a graph that is not on a GPU.
    BackendUnavailableError
        If what compiles or lists it is not installed.
    """
    text: str = engine.source(call, form)
    return text


def check_form(program: str, form: str, target: Any) -> None:
    """Refuse a form that there is not, or not of kernels for cores.

    Raises
    ------
    ArgumentError
        If so.
    """
    if form not in FORMS:
        raise ArgumentError(
            f"{program}.source(): form={form!r}.{did_you_mean(str(form), FORMS)}",
            remedy=f"There are: {', '.join(FORMS)}.",
        )
    if form != "python" and target.kind != "cuda":
        raise ArgumentError(
            f"{program}.source(): {form} is what kernels for a GPU are compiled to",
            remedy="Give a graph that is on one: g.on('cuda').",
        )
