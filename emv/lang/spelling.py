"""What users call the pieces of Python's syntax that the language lacks."""

from __future__ import annotations

import ast

_SPELLED: dict[type[ast.AST], str] = {
    ast.AsyncFor: "async for",
    ast.AsyncWith: "async with",
    ast.Assert: "assert",
    ast.Await: "await",
    ast.ClassDef: "a class",
    ast.Delete: "del",
    ast.Dict: "a dict",
    ast.DictComp: "a dict comprehension",
    ast.FunctionDef: "a function inside the function",
    ast.GeneratorExp: "a generator expression",
    ast.Global: "global",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.JoinedStr: "an f-string",
    ast.Lambda: "a lambda",
    ast.List: "a list",
    ast.ListComp: "a list comprehension",
    ast.MatMult: "@",
    ast.Match: "match",
    ast.NamedExpr: ":=",
    ast.Nonlocal: "nonlocal",
    ast.Raise: "raise",
    ast.Set: "a set",
    ast.SetComp: "a set comprehension",
    ast.Slice: "a slice",
    ast.Starred: "a starred expression",
    ast.Try: "try",
    ast.With: "with",
    ast.Yield: "yield",
    ast.YieldFrom: "yield from",
}


def kind_of(node: ast.AST) -> str:
    """Return what users call a node: ``a list comprehension``, ``try``.

    Examples
    --------
    >>> kind_of(ast.parse("[x for x in y]", mode="eval").body)
    'a list comprehension'
    """
    return _SPELLED.get(type(node), f"{type(node).__name__} syntax")
