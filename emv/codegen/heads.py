"""The head of a module of kernels: what its functions name, and nothing else.

One table says which helper comes from which module of `emv_kernels`. What functions name is read
off their nodes; a name that nobody knows is a mistake of code generation and raises an error.
"""

from __future__ import annotations

import ast
import builtins
import functools
import textwrap
from collections.abc import Mapping

from emv.codegen.state import COMMON_PLACES, PLACES
from emv.ir import nodes as n

WIDTH = 100
KINDS = ("f32", "i32", "u32", "bool", "f64", "i64", "u64")
KEYS = " ".join(f"{word}_{kind}" for word in ("order", "unorder") for kind in KINDS)

HOMES = f"""
functools        partial
numba            cuda njit
cpu.ahead        ask_ahead
cpu.atomics      add_if and_if claim_once max_if min_if mul_if or_if take_flag xor_if
cpu.chosen       chosen
cpu.gathered     sum_at
cpu.messages     hang leave_places next_place next_row put_first sort_entries straighten
cpu.messages     take_stretch
cpu.numbers      bit_count divided divisor float_divided float_remainder floored larger power
cpu.numbers      raised remainder shifted_left shifted_right shifted_right_u64 smaller whole
cpu.numbers      whole_u64
cpu.packing      pack high_half low_half {KEYS}
cpu.queues       append append_new checked clear_flags copy_into count_arcs flush gather_rows
cpu.queues       leave_row measure measure_copies next_block row_of settle_into sort_ids
cpu.queues       take_below turn turn_flags
cpu.words        add_in_row add_row clear_words has_bit mark_places mark_row place_in set_bit
cpu.words        with_bit
cpu.random       below uniform
cpu.sets         flatten join often
cpu.signals      NO_BLOCK goes_on heed read_now
cpu.sorting      sort_keys
cpu.tallies      amount_of begin_tally leave_tally tally tally_few
cpu.threads      by_threads tell
cpu.turns        goes_alone is_alone judge
cpu.values       index_values take_value
cuda.atomics     add_if and_if claim_once fetch_add fetch_min fetch_or max_if min_if mul_if or_if
cuda.atomics     take_flag take_stamp xor_if
cuda.busy        count_common
cuda.claims      bit_at empty_pile empty_pile_counted hears note_found own_pile pile_up
cuda.claims      clear_piles empty_if empty_if_counted enqueue_on enqueue_on_counted pile_up_counted
cuda.claims      put_on
cuda.deciding    PLACE give_copy meet_all take_copy
cuda.draining    drain keep_rows rounds_of
cuda.grid        arrive cross let_go load_now release release_some together wait
cuda.hashed      count_hashed
cuda.jit         control device
cuda.leaving     goes_on warp_goes_on
cuda.list_parts  begin_packing divide_keys end_packing num_parts packed_place part_of
cuda.meeting     FAILED HEARD box_place foremost heard order_system say store_meanwhile
cuda.messages    before_bool before_float before_int from_last hang put_first row_of sort_long
cuda.messages    sort_short straighten take_place take_stretch
cuda.numbers     bit_count divided divisor float_divided float_remainder floored larger power
cuda.numbers     raised remainder rint shifted_left shifted_right shifted_right_u64 smaller whole
cuda.numbers     whole_u64
cuda.packing     pack high_half low_half {KEYS}
cuda.queues      PIECE WIDE checked enqueue enqueue_copy enqueue_counted has_bit list_row
cuda.queues      note_long set_bit
cuda.queues      share_out
cuda.random      below uniform
cuda.scans       add_parts add_stretches spread_sums
cuda.search      AHEAD ENTRY TABLE_ROOM are_short fill_table first_not_below holds holds_second
cuda.search      lane_at lanes_for lanes_that likely pays place_among shift_of total_within
cuda.sets        flatten_four join often
cuda.short_rows  fill_filter first_of_rows is_first_with lay_rows list_likely salt_of sum_of_own
cuda.short_rows  taken_from_list
cuda.sorting     WIDE_ENTRY end_of_sent first_bit_of_kinds sort_digits sort_narrow_short
cuda.sorting     sort_wide_short
cuda.sweeps      AT_ONCE SHARE TRIES WINDOW early fresh lowest_of share_of tries_of
cuda.tallies     NO_KIND amount_at any_of_crew any_of_warp clear_tally crew_lane differs finer
cuda.tallies     is_divided is_of_class kind_at lanes_alike meet_crew next_class next_of_crew
cuda.tallies     num_places of_one_lane of_warps put_amount sum_of_lanes
cuda.tracing     nanoseconds
cuda.turns       in_turn number_in_turn
cuda.warps       bounds_of first_in_group fold_largest fold_smallest fold_total group_any group_of
cuda.warps       keep_largest_f keep_largest_i keep_smallest_f keep_smallest_i keep_total_f
cuda.warps       keep_total_i offsets_of other_bool other_float other_int owner_of span_of
cuda.warps       SUM added_in_order_f32 added_in_order_f64 crew_of cuts_rows first_of_crew
cuda.warps       put_in_order row_of_lane rows_at_once total_of
cuda.warps       largest_of smallest_of
cuda.words       group_or heard_words settle survey word_of write_words
"""  # the names that kernels may use, behind the modules (of `emv_kernels`) that they come from
WHOLE = {"math": "import math", "np": "import numpy as np"}

COMMON = {"ONE": "np.uint64(1)  # an unsigned id plus a signed one would become a float"}
CONSTANTS = {
    "cpu": COMMON
    | {
        "WITHIN": "np.int64(2**62 - 1)  # what is masked by it is not below 0, as compilers see",
        "compiled": 'partial(njit, nogil=True, error_model="numpy", no_cfunc_wrapper=True)',
        "entry": "compiled(cache=True, _nrt=False)  # what Python calls",
        "work": "compiled(_nrt=False, no_cpython_wrapper=True)  # what is called only from there",
        "rint": "np.rint",
    },
    "cuda": COMMON
    | {
        "ALL": "0xFFFFFFFF  # every lane of a warp",
        "shared": "True  # threads share every array",
    },
}


def head_of(target: str, functions: list[n.Function], more: Mapping[str, str]) -> list[str]:
    r"""Return what a module begins with, in parts: imports and constants.

    Parameters
    ----------
    target : {"cpu", "cuda"}
        For what it is written.
    functions : list of Function
        What stands in it.
    more : mapping
        Texts of constants that only this module has, by name.

    Examples
    --------
    >>> from emv.codegen.quote import quote
    >>> body = quote("x = rint(state[NUM_ARCS])", {})
    >>> print("\n\n".join(head_of("cuda", [n.Function("f", "", ("state",), (), body)], {})))
    from emv_kernels.cuda.numbers import rint
    <BLANKLINE>
    NUM_ARCS = 109
    """
    texts = {**CONSTANTS[target], **more}
    constants = texts | {name: str(place) for name, place in (PLACES | COMMON_PLACES).items()}
    waiting = set[str]().union(*map(named_in, functions)) - {each.name for each in functions}
    needed = set[str]()
    while waiting:
        name = waiting.pop()
        if name not in needed and not hasattr(builtins, name):
            needed.add(name)
            waiting |= named_by(ast.parse(texts[name])) if name in texts else set()
    lines, found = [line for name, line in WHOLE.items() if name in needed], {*WHOLE, *constants}
    for module, names in homes(target).items():
        found |= {*names}
        lines += imported(module, [name for name in names if name in needed])
    if not needed <= found:
        raise NameError(f"kernels name what nobody knows: {needed - found}")
    defined = [f"{name} = {text}" for name, text in constants.items() if name in needed]
    return ["\n".join(lines), *(["\n".join(defined)] if defined else [])]


@functools.cache
def homes(target: str) -> dict[str, list[str]]:
    """Return the names that kernels of a target may use, by the module that they come from.

    Examples
    --------
    >>> homes("cpu")["emv_kernels.cpu.random"]
    ['below', 'uniform']
    """
    found: dict[str, list[str]] = {}
    for line in HOMES.strip().splitlines():
        module, *names = line.split()
        if module.startswith(f"{target}."):
            found.setdefault(f"emv_kernels.{module}", []).extend(names)
        elif "." not in module:
            found[module] = names
    return found


def imported(module: str, names: list[str]) -> list[str]:
    """Return the lines that import names, none for none."""
    inside = ", ".join(names)
    if len(module) + len(inside) < WIDTH - len("from import "):
        return [f"from {module} import {inside}"] if names else []
    lines = textwrap.wrap(inside, WIDTH - 4)
    return [f"from {module} import (", *(f"    {line}" for line in lines), ")"]


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
        kind = type(node)
        if kind is n.Name:
            found.add(node.text)
        elif kind is n.Call:
            found.add(node.function)
        elif kind is n.For:
            own.add(node.name)
        elif kind is n.Assign:
            names = node.target.parts if isinstance(node.target, n.Group) else (node.target,)
            own |= {each.text for each in names if isinstance(each, n.Name)}
    bare = {name.partition(".")[0] for name in found}
    return {name for name in bare - own if name.isidentifier()}


def named_by(tree: ast.AST) -> set[str]:
    """Return what a text names that is not its own."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return {node.id for node in names} - own
