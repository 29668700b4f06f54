"""The head of a module of kernels: what its functions name, and nothing else.

One table says which helper comes from which module of `emv_kernels`. What functions name is read
off their nodes; a name that nobody knows is a mistake of code generation and raises an error.
"""

from __future__ import annotations

import ast
import builtins
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from emv.codegen.state import COMMON_PLACES, PLACES
from emv.ir import nodes as n

WIDTH = 100
KINDS = ("f32", "i32", "u32", "bool", "f64", "i64", "u64")
KEYS = " ".join(f"{word}_{kind}" for word in ("order", "unorder") for kind in KINDS)

HELPERS = {
    "cpu": {
        "atomics": "add_if and_if claim_once max_if min_if mul_if or_if take_flag xor_if",
        "messages": "hang lay_out leave_places next_place next_row sort_entries straighten"
        " take_stretch",
        "numbers": "bit_count",
        "packing": f"pack high_half low_half {KEYS}",
        "queues": "append checked clear_flags copy_into flush measure measure_copies next_block"
        " row_of settle_into sort_ids turn turn_flags",
        "random": "below uniform",
        "sets": "flatten join",
        "sorting": "sort_keys",
        "values": "index_values take_value",
    },
    "cuda": {
        "atomics": "add_if and_if claim_once fetch_add fetch_min fetch_or max_if min_if mul_if"
        " or_if take_flag take_stamp xor_if",
        "grid": "arrive release release_some wait",
        "jit": "control device",
        "messages": "before_bool before_float before_int from_last hang lay_out row_of sort_long"
        " sort_short straighten take_place take_stretch",
        "numbers": "bit_count rint",
        "packing": f"pack high_half low_half {KEYS}",
        "queues": "PIECE checked enqueue enqueue_copy enqueue_counted has_bit set_bit share_out",
        "random": "below uniform",
        "scans": "add_parts add_stretches spread_sums",
        "search": "AHEAD ENTRY TABLE_ROOM are_short fill_table first_not_below holds holds_second"
        " lane_at lanes_for lanes_that likely pays place_among shift_of total_within",
        "sets": "flatten_one join",
        "short_rows": "fill_filter first_of_rows is_first_with lay_rows list_likely salt_of"
        " sum_of_own taken_from_list",
        "sorting": "WIDE_ENTRY sort_digits sort_narrow_short sort_wide_short",
        "sweeps": "SHARE TRIES WINDOW fresh lowest_of share_of tries_of",
        "tracing": "nanoseconds",
        "warps": "bounds_of first_in_group fold_largest fold_smallest fold_total group_any"
        " group_of keep_largest_f keep_largest_i keep_smallest_f keep_smallest_i keep_total_f"
        " keep_total_i offsets_of other_bool other_float other_int owner_of span_of",
        "words": "group_or settle survey write_bits",
    },
}
"""The helpers that kernels may call, by target and module of ``emv_kernels.<target>``."""

LIBRARIES = {"functools": "partial", "numba": "cuda njit prange"}
WHOLE = {"math": "import math", "np": "import numpy as np"}

COMMON = {"ONE": "np.uint64(1)  # an unsigned id plus a signed one would become a float"}
CONSTANTS = {
    "cpu": COMMON
    | {
        "compiled": 'partial(njit, nogil=True, error_model="numpy", no_cfunc_wrapper=True)',
        "entry": "compiled(cache=True, _nrt=False)  # what Python calls",
        "work": "compiled(_nrt=False, no_cpython_wrapper=True)  # what is called only from there",
        "launch": "compiled(parallel=True, no_cpython_wrapper=True)",
        "rint": "np.rint",
    },
    "cuda": COMMON
    | {
        "ALL": "0xFFFFFFFF  # every lane of a warp",
        "shared": "True  # threads share every array",
    },
}


def head_of(
    target: str,
    functions: list[n.Function],
    helpers: Mapping[str, ast.FunctionDef],
    more: Mapping[str, str],
) -> list[str]:
    r"""Return what a module begins with, in parts: imports, constants, the user's functions.

    Parameters
    ----------
    target : {"cpu", "cuda"}
        For what it is written.
    functions : iterable of Function
        What stands in it.
    helpers : mapping
        The user's plain functions there, by name.
    more : mapping
        Texts of constants that only this module has, by name.

    Examples
    --------
    >>> from emv.codegen.quote import quote
    >>> body = quote("x = rint(state[NUM_ARCS])", {})
    >>> print("\n\n".join(head_of("cuda", [n.Function("f", "", ("state",), (), body)], {}, {})))
    from emv_kernels.cuda.numbers import rint
    <BLANKLINE>
    NUM_ARCS = 109
    """
    places = {name: str(place) for name, place in (PLACES | COMMON_PLACES).items()}
    constants = {**CONSTANTS[target], **more, **places}
    waiting = set[str]().union(*map(named_in, functions), *map(named_by, helpers.values()))
    waiting -= helpers.keys() | {each.name for each in functions}
    needed = set[str]()
    while waiting:
        name = waiting.pop()
        if name not in needed and not hasattr(builtins, name):
            needed.add(name)
            waiting |= named_by(ast.parse(constants.get(name, "")))
    kernels = {f"emv_kernels.{target}.{home}": names for home, names in HELPERS[target].items()}
    parts = [
        [line for name, line in WHOLE.items() if name in needed] + imports(LIBRARIES, needed),
        imports(kernels, needed),
        [f"{name} = {text}" for name, text in constants.items() if name in needed],
    ]
    known = {name for names in (*LIBRARIES.values(), *kernels.values()) for name in names.split()}
    lost = needed - known - WHOLE.keys() - constants.keys()
    if lost:
        raise NameError(f"kernels name what nobody knows: {lost}")
    return [
        *("\n".join(each) for each in parts if each),
        *(f"\n{ast.unparse(each)}" for each in helpers.values()),
    ]


def imports(modules: Mapping[str, str], needed: set[str]) -> list[str]:
    """Return the imports of what is needed of some modules, in lines that are not too long."""
    lines = []
    for module, names in modules.items():
        taken = ", ".join(name for name in names.split() if name in needed)
        line = f"from {module} import {taken}"
        if len(line) > WIDTH:
            inside = textwrap.indent(textwrap.fill(taken, WIDTH - 4), "    ")
            line = f"from {module} import (\n{inside}\n)"
        lines += [line] if taken else []
    return lines


def named_in(function: n.Function) -> set[str]:
    """Return what a function names that is not its own.

    Examples
    --------
    >>> from emv.codegen.quote import quote
    >>> body = quote("for k in range(3): x = add(k, cuda.laneid)", {})
    >>> sorted(named_in(n.Function("f", "@work", (), (), body)))
    ['add', 'cuda', 'range', 'work']
    """
    found, own = {function.decorator.removeprefix("@")}, {*function.parameters}
    for node in n.inside_block(function.body):
        match node:
            case n.Name(text) | n.Call(text):
                found.add(text.partition(".")[0])
            case n.For(name):
                own.add(name)
            case n.Assign(target):
                own |= set(assigned(target))
    return {name for name in found - own if name.isidentifier()}


def assigned(target: n.Node) -> Iterator[str]:
    """Yield the locals that an assignment gives values to."""
    match target:
        case n.Name(text):
            yield text
        case n.Group(parts):
            for part in parts:
                yield from assigned(part)


def named_by(tree: Any) -> set[str]:
    """Return what a text names that is not its own."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return {node.id for node in names} - own
