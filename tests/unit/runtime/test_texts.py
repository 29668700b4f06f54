"""`program.source` shows what a program is compiled to for a GPU, which need not be there."""

import pytest
from fake_cuda import FakeDriver

from emv import Graph, Vertex, f32, program, vertex
from emv.backends.cuda import assembly
from emv.backends.cuda import device as cuda_device
from emv.errors import ArgumentError, BackendUnavailableError

G = Graph.from_edges([0, 1], [1, 2])


class Number(Vertex):
    x: f32 = 1.0


@vertex
def grow(v: Number):
    v.x = v.x * 3.0 + v.out_degree


@program
def grown(g):
    grow(g.vertices)
    return g.vertices.x


class Shown(FakeDriver):
    """A GPU that is given binaries and runs none."""

    def load(self, cubin, kernel, shared_bytes=0):
        assert cubin[:4] == b"\x7fELF"
        return None, None

    def launch(self, *_):
        raise AssertionError("nothing is to be run")


@pytest.fixture
def on_gpu(monkeypatch):
    pytest.importorskip("numba_cuda")
    monkeypatch.setitem(cuda_device.DEVICES, 0, cuda_device.Device(Shown()))
    return G.on("cuda")


def test_ptx_and_sass_are_those_of_the_kernel(on_gpu, monkeypatch):
    text = grown.source(on_gpu, form="ptx")
    assert ".visible .entry" in text
    assert ".target sm_90a" in text
    if assembly.disassembler() is None:
        pytest.skip("nvdisasm is not installed")
    listed = grown.source(on_gpu, form="sass")
    assert "EXIT" in listed
    assert "FMUL" in listed
    assert grown.source(on_gpu).startswith('"""')
    monkeypatch.setattr(assembly, "disassembler", lambda: None)
    with pytest.raises(BackendUnavailableError, match="nvidia-cuda-nvdisasm"):
        grown.source(on_gpu, form="sass")


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("ptx", r"for a GPU .*\n.*g.on\('cuda'\)"),
        ("asm", "form='asm'.*\nThere are: python, ptx, sass"),
    ],
)
def test_forms_that_there_are_not(form, said):
    with pytest.raises(ArgumentError, match=said):
        grown.source(G.on("cpu"), form=form)
