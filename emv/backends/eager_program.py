"""A program function run as plain Python, and what it gives back."""

from __future__ import annotations

from typing import Any

import numpy as np

from emv.backends.eager_graph import EagerColumn, EagerGraph
from emv.backends.python import EagerRun
from emv.backends.values import EagerValues, kind_of
from emv.errors import EmvError, LanguageError
from emv.lang.endless import refuse_endless
from emv.lang.fits import wrong_result
from emv.lang.source import definition_loc, place_error
from emv.lang.supersteps import left_early
from emv.lang.words import RUNNING


def run_eagerly(
    python: Any, run: EagerRun, arguments: dict[str, Any], is_of_host: bool = False
) -> Any:
    """Run a program function as plain Python and return what it returns, columns unread.

    An error that names no place gets the innermost line of the user's.
    """
    refuse_endless(python)
    run.python, run.is_of_host, token = python, is_of_host, RUNNING.set(run)
    given = {
        name: run.number(value) if kind_of(value) in ("i64", "f64") else value
        for name, value in arguments.items()
    }
    try:
        with np.errstate(all="ignore"):
            result = python(EagerGraph(run), **given)
            if run.left is not None and not is_of_host:
                raise left_early(run.left)
            check_result(python, result)
            for key, (_, _, loc) in list(run.filled.items()):
                run.declared(key, loc)
            run.awake.hint()
            return result
    except EmvError as error:
        place_error(error)
        raise
    except UnboundLocalError as error:
        raise no_variable(error) from error
    finally:
        RUNNING.reset(token)


def no_variable(error: UnboundLocalError) -> EmvError:
    """Return the error for a variable of a program that nothing has given a value."""
    made = LanguageError(
        f"{error}",
        remedy="Where only a loop gives a variable a value, it has none if the loop runs no "
        "superstep: assign it before.",
    ).with_traceback(error.__traceback__)
    place_error(made)
    return made


def check_result(python: Any, value: Any) -> None:
    """Refuse what a program cannot give back."""
    if isinstance(value, tuple | list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            check_result(python, each)
        return
    if isinstance(value, EagerColumn):
        value.check_declared(value.spot.loc)
        return
    is_values = isinstance(value, EagerValues) and value.kind is not None
    if not (value is None or is_values or kind_of(value)):
        raise wrong_result(python.__name__, value, definition_loc(python))
