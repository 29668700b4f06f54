"""What is left out of numba-cuda's front end is not seen in the code that comes out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba.cuda")

from kernel_budget import kernel_of

from emv.backends.cuda import compile as cuda_compile
from emv.backends.cuda import frugal

MADE = """
import hashlib, json, sys
from pathlib import Path
from emv.backends.cuda import compile as cuda_compile, frugal
from emv.config import config
from emv.ir.kernel import KernelSource

text, dtypes = json.loads(Path(sys.argv[1]).read_text())
if sys.argv[2] == "all":
    frugal.changes = list
config.cache = Path(sys.argv[3])
source = KernelSource("same", text, {"program": tuple(dtypes)}, {})
print(hashlib.sha256(cuda_compile.load(source, dtypes).cubin).hexdigest())
"""


def test_the_code_is_the_same_byte_for_byte(tmp_path: Path):
    source, dtypes = kernel_of("components")
    asked = {each: dtypes[each] for each in source.functions["program"]}
    (tmp_path / "text").write_text(json.dumps([source.text, asked]))
    found = []
    for how in ("all", "frugal"):
        command = [sys.executable, "-c", MADE, str(tmp_path / "text"), how, str(tmp_path / how)]
        run = subprocess.run(command, capture_output=True, text=True, env={**os.environ})
        assert run.returncode == 0, run.stderr
        found.append(run.stdout)
    assert found[0] == found[1]


def test_everything_is_put_back():
    before = [(owner, name, vars(owner)[name]) for owner, name, _ in frugal.changes()]
    with cuda_compile.lean_numba((9, 0)):
        assert all(vars(owner)[name] is not value for owner, name, value in before)
    assert all(vars(owner)[name] is value for owner, name, value in before)


def test_functions_with_lists_are_still_looked_through():
    from types import SimpleNamespace

    from numba.cuda.core import bytecode
    from numba.cuda.core.interpreter import Interpreter

    from emv_kernels.reading import has_lists

    def closes(x):
        def inner(y):
            return x + y

        return inner(1)

    def plain(x):
        return x + 1

    def read(function: object) -> SimpleNamespace:
        identity = bytecode.FunctionIdentity.from_function(function)
        return SimpleNamespace(func_ir=Interpreter(identity).interpret(bytecode.ByteCode(identity)))

    assert has_lists(frugal.FRONT, read(closes))
    assert not has_lists(frugal.FRONT, read(plain))
