"""The rules of the house that no other tool checks.

Sizes of files and functions, what public names and knobs must say, what may be imported or named
where. There is no list of exemptions.
"""

from __future__ import annotations

import ast
import configparser
import functools
import graphlib
import importlib
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import emv

ROOT = Path(__file__).resolve().parents[1]
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
SIZED = ("emv", "emv_kernels", "tests", "bench", "docs", ".ci")
BELOW_ALGORITHMS = (
    *(f"emv/{layer}" for layer in "runtime backends codegen passes graph lang ir".split()),
    "emv_kernels",
)
KNOB = re.compile(r"\bEMV_[A-Z_]*[A-Z]\b")


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module", autouse=True)
def trees() -> Iterator[None]:
    """Let go of the trees, which take 0.4 GB, when all have been asked."""
    yield
    tree_of.cache_clear()


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def docstring_of(node: ast.AST) -> ast.Expr | None:
    body = getattr(node, "body", None)
    first = body[0] if isinstance(body, list) and body else None
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return first if is_text and isinstance(first.value.value, str) else None


def function_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from ``def`` to the end, without the docstring."""
    docstring = docstring_of(node)
    documented = docstring.end_lineno - docstring.lineno + 1 if docstring else 0
    return node.end_lineno - node.lineno + 1 - documented


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def modules(*folders: str) -> dict[str, Path]:
    """Return the modules below some folders by name; a package is called as its folder is."""
    paths = {path.relative_to(ROOT).with_suffix(""): path for path in python_files(*folders)}
    return {".".join(each.parts).removesuffix(".__init__"): paths[each] for each in paths}


def modules_imported(tree: ast.Module, known: Iterable[str]) -> set[str]:
    """Return which modules a module imports, wherever the statement stands in it."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name their module from the root"
            submodules = {f"{node.module}.{alias.name}" for alias in node.names}
            is_module = [each in known for each in submodules]
            found |= {each for each in submodules if each in known}
            found |= set() if all(is_module) else {str(node.module)}
    return found & set(known)


def circle(imports: dict[str, set[str]]) -> list[str]:
    """Return modules each of which imports the next, the first once more at the end."""
    try:
        graphlib.TopologicalSorter(imports).prepare()
    except graphlib.CycleError as error:
        return error.args[1][::-1]
    return []


def imports_by_string(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield (line, name) of whatever can import a module that is named by a string."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [str(node.module).split(".")[0], *(alias.name for alias in node.names)]
        else:
            names = [getattr(node, name, None) for name in ("id", "attr")]
        for name in {"importlib", "import_module", "__import__", "runpy"}.intersection(names):
            yield node.lineno, name


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or ""


def test_function_lines_leave_out_the_docstring():
    tree = ast.parse('def f(a):\n    """One.\n\n    Two.\n    """\n    b = a\n    return b\n')
    assert [function_lines(node) for node in functions(tree)] == [3]


def test_files_are_short():
    lines = {relative(path): len(path.read_text().splitlines()) for path in python_files(*SIZED)}
    assert len(lines) > 10
    assert {name: count for name, count in lines.items() if count > MAX_FILE_LINES} == {}


def test_functions_are_short():
    long = {
        f"{relative(path)}:{node.lineno} {node.name}": function_lines(node)
        for path in python_files(*SIZED)
        for node in functions(tree_of(path))
        if function_lines(node) > MAX_FUNCTION_LINES
    }
    assert long == {}


def test_circles_are_found_wherever_the_import_stands():
    texts = {
        "a": "from b import c, d",
        "b": "",
        "b.c": "def f():\n    import e\n",
        "e": "if TYPE_CHECKING:\n    from a import x",
        "f": "import a, b",
    }
    imports = {name: modules_imported(ast.parse(texts[name]), texts) for name in texts}
    assert imports == {"a": {"b", "b.c"}, "b": set(), "b.c": {"e"}, "e": {"a"}, "f": {"a", "b"}}
    assert set(circle(imports)) == {"a", "b.c", "e"}
    assert circle({**imports, "e": set()}) == []


def test_no_circles():
    known = modules("emv", "emv_kernels", "bench")
    assert len(known) > 100
    imports = {each: modules_imported(tree_of(known[each]), known) for each in known}
    imports["emv"] -= set(emv._LAZY.values())  # which only type checkers see it import
    assert circle(imports) == []


def test_imports_by_string_are_found():
    text = "import importlib.util\nfrom importlib import import_module as load\n__import__('a')\n"
    found = list(imports_by_string(ast.parse(text)))
    assert found[0] == (1, "importlib")
    assert {line for line, _ in found} == {1, 2, 3}


def test_modules_are_imported_by_statements():
    registry = ROOT / "emv" / "imports.py"
    named = [
        f"{relative(path)}:{line} {name}"
        for path in python_files("emv", "emv_kernels", "bench")
        for line, name in imports_by_string(tree_of(path))
        if path != registry
    ]
    assert list(imports_by_string(tree_of(registry)))
    assert named == []


def test_no_generated_text_is_searched():
    """What a kernel does is asked of its nodes; only backends read what compilers say."""
    folders = ("emv/codegen", "emv/passes", "emv/runtime")
    found = [path for path in python_files(*folders) if "re" in set(imported(tree_of(path)))]
    assert [relative(path) for path in found] == []
    assert "re" in set(imported(tree_of(ROOT / "emv" / "backends" / "compiling.py")))


def test_only_the_face_hands_on_modules_above_it():
    asking = [
        relative(path)
        for path in python_files("emv", "emv_kernels", "bench")
        if "emv.imports.later" in modules_imported(tree_of(path), ["emv.imports.later"])
    ]
    assert asking == ["emv/__init__.py"]


def test_setup_cfg_holds_only_the_layers():
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg")
    assert parser.sections()
    assert [name for name in parser.sections() if name.split(":")[0] != "importlinter"] == []


def test_only_backends_and_kernels_import_numba():
    outside = [
        relative(path)
        for path in python_files("emv")
        if (ROOT / "emv" / "backends") not in path.parents
        and any(name.split(".")[0] == "numba" for name in imported(tree_of(path)))
    ]
    assert outside == []


def test_kernels_know_nothing_of_emv():
    importing = [
        relative(path)
        for path in python_files("emv_kernels")
        if any(name.split(".")[0] == "emv" for name in imported(tree_of(path)))
    ]
    assert importing == []


def test_every_public_name_has_a_docstring():
    assert len(set(emv.__all__)) == len(emv.__all__)
    silent = [name for name in emv.__all__ if not inspect.getdoc(getattr(emv, name))]
    assert silent == []


def test_a_method_without_a_docstring_is_told_of_by_its_base():
    told, untold = set(), set()
    for name in modules("emv/codegen", "emv/runtime"):
        module = importlib.import_module(name)
        for kind in vars(module).values():
            if inspect.isclass(kind) and kind.__module__ == name:
                public = {each for each in vars(kind) if not each.startswith("_")}
                named = {f"{name}.{kind.__name__}.{each}": getattr(kind, each) for each in public}
                methods = {each: of for each, of in named.items() if is_method(of)}
                told |= {each for each, of in methods.items() if not of.__doc__}
                untold |= {each for each, of in methods.items() if not inspect.getdoc(of)}
    assert untold == set()
    assert len(told) > 50  # which ruff's D102 would ask for one of their own


def is_method(value: object) -> bool:
    return inspect.isfunction(value) or isinstance(value, property)


def test_reference_page_lists_every_public_name():
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert [name for name in emv.__all__ if not re.search(rf"`{name}\b", page)] == []


def test_reference_page_is_current():
    script = ROOT / "docs" / "build_reference.py"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_knob_is_in_the_table():
    from emv.config import Config

    table = set(KNOB.findall(ast.get_docstring(tree_of(ROOT / "emv" / "config.py"))))
    assert {f"EMV_{field.name.upper()}" for field in fields(Config)} == table
    used = {
        knob
        for path in python_files("emv", "emv_kernels")
        for knob in KNOB.findall(path.read_text(encoding="utf-8"))
    }
    assert used <= table


def words_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield (line, word) of every identifier and string of the code, docstrings left out."""
    prose = {id(text.value) for node in ast.walk(tree) if (text := docstring_of(node))}
    for node in ast.walk(tree):
        names = [getattr(node, name, None) for name in ("id", "attr", "name", "arg", "asname")]
        texts = [name for name in names if isinstance(name, str)]
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            texts.append(node.value)
        for text in texts:
            for word in re.findall(r"[A-Za-z]+", text):
                yield getattr(node, "lineno", 0), word.lower()


def test_words_are_found_in_identifiers_and_strings_only():
    tree = ast.parse(
        '"""prose"""\ndef my_sort(a):\n    "more"  # note\n    return a.b["key one"]\n'
    )
    assert {word for _, word in words_of(tree)} == {"my", "sort", "a", "b", "key", "one"}


def test_no_algorithm_is_named_below_algorithms():
    stems = {path.stem for path in python_files("emv/algorithms") if path.stem[0] != "_"}
    stems.remove("spread")  # what copies and degrees are, too
    named = [
        f"{relative(path)}:{line} {word}"
        for path in python_files(*BELOW_ALGORITHMS)
        for line, word in words_of(tree_of(path))
        if word in stems
    ]
    assert named == []


@pytest.mark.paper("S14")
def test_algorithms_say_nothing_of_threads_and_memory():
    machine = set("numba cuda gpu thread threads block blocks grid stream atomic barrier".split())
    pages = [*python_files("emv/algorithms"), ROOT / "tests" / "examples" / "programs.py"]
    said = [
        f"{relative(path)}:{line} {word}"
        for path in pages
        for line, word in words_of(tree_of(path))
        if word in machine
    ]
    assert len(pages) > 6
    assert said == []


def texts_of_the_project() -> Iterator[Path]:
    suffixes = (".py", ".md", ".txt", ".toml", ".cfg", ".json", ".yml", "")
    listed = [path for folder in SIZED for path in (ROOT / folder).rglob("*")]
    hidden = {"__pycache__", ".cache", ".git"}  # the last is a file in a work tree
    for path in [*listed, *ROOT.glob("*")]:
        if path.is_file() and path.suffix in suffixes and not hidden & set(path.parts):
            yield path


def test_no_path_of_one_machine():
    place = r"(?<![\w.~])/(work|root|home|tmp|Users)/\w|\.\./" + "shared"
    named = [
        f"{relative(path)}: {match[0]}"
        for path in texts_of_the_project()
        for match in re.finditer(place, path.read_text(encoding="utf-8"))
    ]
    assert named == []


def test_the_version_is_one_everywhere():
    version = (ROOT / "emv" / "version.py").read_text().split('"')[-2]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    dated = re.findall(
        r"^## \[(\d[\d.]*)\] - \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text(), re.M
    )
    assert dated[0] == version
    assert f"emv {version} " in (ROOT / "docs" / "stability.md").read_text()


def test_import_is_light(capsys):
    program = (
        "import sys, time; start = time.perf_counter(); import emv; "
        "print(round(1000 * (time.perf_counter() - start)));"
        "print(*sorted({'numba', 'scipy', 'networkx', 'pandas', 'pyarrow', 'emv.passes', 'emv.viz',"
        "'emv.codegen', 'emv.backends.python', 'emv.cli'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    milliseconds, loaded = done.stdout.split("\n")[:2]
    with capsys.disabled():
        print(f"\nimport emv: {milliseconds} ms")  # noqa: T201  a figure to read, not a limit
    assert loaded == ""


def test_a_graph_may_be_the_first_to_ask_for_a_gpu():
    program = (
        "import emv\n"
        "try: print(emv.generators.rmat(10, 50, device='cuda').num_edges)\n"
        "except emv.errors.BackendUnavailableError: print(50)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("50\n", "")


@pytest.mark.parametrize("name", ["LICENSE", "README.md", "CHANGELOG.md", "emv/py.typed"])
def test_what_a_distribution_needs_is_there(name):
    assert (ROOT / name).is_file()
