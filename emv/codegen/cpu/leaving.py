"""How the ``while`` loops of users' functions are left on cores, which may have no end.

    while distance > 0 and goes_on(state):

Only a launch that is being left stops them, and what they made is not used. A plain function that
has such a loop, or calls one that has, is told the shared state for it.
"""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from emv.codegen.quote import quoted
from emv.codegen.writer import Buffers
from emv.ir import nodes as n

GOES_ON = "goes_on"
STATE = "state"  # what plain functions call it, unless the name is theirs


def waiting(helpers: dict[str, ast.FunctionDef]) -> set[str]:
    r"""Return the plain functions that have ``while`` loops, or call one that has.

    Examples
    --------
    >>> text = "def f(x): return g(x)\ndef g(x):\n while x: pass\ndef h(x): return x"
    >>> sorted(waiting({each.name: each for each in ast.parse(text).body}))
    ['f', 'g']
    """
    found = {name for name, tree in helpers.items() if names_in(tree, ast.While)}
    while more := {
        name
        for name, tree in helpers.items()
        if name not in found and found & {called(each) for each in names_in(tree, ast.Call)}
    }:
        found |= more
    return found


def names_in(tree: ast.AST, kind: type) -> list[Any]:
    """Return the nodes of a kind in a tree."""
    return [each for each in ast.walk(tree) if isinstance(each, kind)]


def called(call: ast.Call) -> str:
    """Return the name of what is called, empty if it has none."""
    return call.func.id if isinstance(call.func, ast.Name) else ""


class Told(ast.NodeTransformer):
    """Hands the state to a plain function that waits, and lets its loops end.

    Parameters
    ----------
    names : set of str
        The plain functions that take the state.
    state : str
        What it is called there, as nothing else is.
    """

    def __init__(self, names: set[str], state: str) -> None:
        self.names, self.state = names, state

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Take the state as the last argument."""
        self.generic_visit(node)
        node.args.args.append(ast.arg(self.state))
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Hand it on."""
        self.generic_visit(node)
        if called(node) in self.names:
            node.args.append(ast.Name(self.state, ast.Load()))
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        """Ask for it."""
        self.generic_visit(node)
        asks = ast.Call(ast.Name(GOES_ON, ast.Load()), [ast.Name(self.state, ast.Load())], [])
        node.test = ast.BoolOp(ast.And(), [node.test, asks])
        return node


def tell_helpers(helpers: dict[str, ast.FunctionDef]) -> dict[str, ast.FunctionDef]:
    """Return the plain functions, those that wait changed."""
    names, found = waiting(helpers), dict(helpers)
    for name in names:
        own = {each.id for each in names_in(helpers[name], ast.Name)}
        own |= {each.arg for each in names_in(helpers[name], ast.arg)}
        state = STATE
        while state in own:
            state += "_"
        found[name] = Told(names, state).visit(helpers[name])
    return found


def is_of_user(loop: n.While) -> bool:
    """Return whether the user wrote the loop: others are made of ``for``, and end."""
    return loop.loc is not None and loop.loc.text.lstrip().startswith("while")


def left_early(functions: list[n.Function], told: set[str], buffers: Buffers) -> list[n.Function]:
    """Return functions whose loops that users wrote can be left.

    Parameters
    ----------
    functions : list of Function
        All of the module.
    told : set of str
        The plain functions that take the state.
    """
    state = n.Array(buffers["state"])
    asks = quoted(f"{GOES_ON}(state)", {"state": buffers["state"]})

    def change(node: Any) -> Any:
        match node:
            case n.While(test, body) if is_of_user(node):
                both = n.Apply("and", (n.rebuilt(test, change), asks))
                body = n.rebuilt_all(body, change)
                return n.While(both, body, loc=node.loc, note=node.note)
            case n.Call(name, parts) if name in told:
                return n.Call(name, (*n.rebuilt_all(parts, change), state))
        return node

    def left(function: n.Function) -> n.Function:
        body = n.rebuilt_all(function.body, change)
        return function if body is function.body else dataclasses.replace(function, body=body)

    return [left(each) for each in functions]
