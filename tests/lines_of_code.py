"""Count the code lines of the algorithms' pages, to see that the language stays short.

Usage: python tests/lines_of_code.py

A code line holds a token that is neither comment nor docstring. The first table counts the
language text of ``emv/algorithms/<name>.py``: everything but imports, docstrings, ``__all__`` and
the functions ``check_...`` beside the algorithm. The second counts what runs on a GPU, as the paper
on Medusa did (Zhong and He, IEEE TPDS 2014, table of code complexity), here and in the kernels by
hand of ``tests/baselines``. Exits 1 when a page is over a limit.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from pathlib import Path

# PageRank as it is printed in the first lesson has 24; the page has all options of networkx's.
# Boruvka's method in rounds has 74; 20 more let each vertex find its own cheapest edge before.
LIMITS = {"pagerank": 100, "bfs": 18, "sssp": 20, "icm": 60, "boruvka": 95}
# One text runs over all vertices (the paper's -N: 9 and 13 lines) and over queues (-Q: 7 and 11).
GPU_LIMITS = {"bfs": 7, "sssp": 11}
PAGES = Path(__file__).resolve().parent.parent / "emv" / "algorithms"
BASELINES = Path(__file__).resolve().parent / "baselines"
BY_HAND = ("bfs_harish", "bfs_virtual_warp", "bfs_merrill", "sssp_harish", "pagerank_pull")
OPERATORS = {"vertex", "edge", "elist", "mlist", "message", "combiner"}
KERNELS = {"cuda", "inlined", "bounded"}  # the decorators of tests.baselines, cuda.jit among them
RULE = """
what runs on a GPU, in code lines
  on the GPU  decorators and bodies of the functions that run there: the statements, without
              docstrings, comments and blank lines; not those of a function from another file
  with def    the lines of their def and parameters too
  with host   the whole page: records and program here; allocation, launches and loops by hand
  limit       of the column "on the GPU": what the paper says of Medusa's variant with queues
"""
NOT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def is_docstring(node: ast.AST) -> bool:
    """Say whether a statement is only a string."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def is_left_out(node: ast.AST) -> bool:
    """Say whether a statement is no part of the language text."""
    if isinstance(node, ast.FunctionDef):
        return node.name.startswith("check_")
    if isinstance(node, ast.Assign):
        return any(isinstance(name, ast.Name) and name.id == "__all__" for name in node.targets)
    return isinstance(node, ast.Import | ast.ImportFrom) or is_docstring(node)


def left_out_lines(tree: ast.Module) -> set[int]:
    """Return the 1-based lines of all statements that do not count, decorators included."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if is_left_out(node):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(each.lineno for each in decorators)])
            lines.update(range(first, node.end_lineno + 1))
    return lines


def lines_with_code(source: str) -> set[int]:
    """Return the 1-based lines that hold a token which is no comment."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return lines


def code_lines(source: str) -> int:
    """Return the number of code lines of the language text in a module's source."""
    return len(lines_with_code(source) - left_out_lines(ast.parse(source)))


def runs_on_gpu(node: ast.AST, decorators: set[str]) -> bool:
    """Say whether one of the decorators of a function begins with one of these names."""
    if not isinstance(node, ast.FunctionDef):
        return False
    first_names = {ast.unparse(each).split("(")[0].split(".")[0] for each in node.decorator_list}
    return not decorators.isdisjoint(first_names)


def gpu_lines(source: str, decorators: set[str] = OPERATORS) -> tuple[int, int]:
    """Return the code lines of what runs on a GPU: by the rule printed, and with its def lines."""
    tree = ast.parse(source)
    counted = lines_with_code(source) - left_out_lines(tree)
    bodies: set[int] = set()
    whole: set[int] = set()
    for node in ast.walk(tree):
        if runs_on_gpu(node, decorators):
            first = min(each.lineno for each in node.decorator_list)
            whole.update(range(first, node.end_lineno + 1))
            for part in (*node.decorator_list, *node.body):
                bodies.update(range(part.lineno, part.end_lineno + 1))
    return len(counted & bodies), len(counted & whole)


def counts() -> dict[str, int]:
    """Return the code lines of every algorithm that has a limit."""
    return {name: code_lines((PAGES / f"{name}.py").read_text("utf-8")) for name in LIMITS}


def pages() -> bool:
    """Print the first table; return whether every page is within its limit."""
    print(f"{'algorithm':<12}{'code lines':>10}{'limit':>7}")
    found = counts()
    for name, count in found.items():
        verdict = "" if count <= LIMITS[name] else "   over"
        print(f"{name:<12}{count:>10}{LIMITS[name]:>7}{verdict}")
    return all(count <= LIMITS[name] for name, count in found.items())


def on_gpus() -> bool:
    """Print the second table; return whether every count is within its limit."""
    print(f"{RULE}\n{'':<27}{'on the GPU':>10}{'limit':>7}{'with def':>10}{'with host':>11}")
    within = True
    rows = [(PAGES, name, OPERATORS) for name in LIMITS]
    for folder, name, decorators in [*rows, *((BASELINES, name, KERNELS) for name in BY_HAND)]:
        source = (folder / f"{name}.py").read_text("utf-8")
        count, with_def = gpu_lines(source, decorators)
        limit = GPU_LIMITS.get(name)
        verdict = "   over" if limit is not None and count > limit else ""
        within = within and not verdict
        figures = f"{count:>10}{limit or '-':>7}{with_def:>10}{code_lines(source):>11}"
        print(f"{folder.name + '/' + name:<27}{figures}{verdict}")
    return within


def main() -> int:
    """Print both tables; return 1 when a page is over a limit."""
    within = [pages(), on_gpus()]
    return int(not all(within))


if __name__ == "__main__":
    sys.exit(main())
