"""The driver API: what is called, and what is said when driver, GPU or package are missing."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

from emv.backends import cuda as cuda_backend
from emv.backends.cuda import answers
from emv.backends.cuda import driver as cuda_driver
from emv.errors import BackendUnavailableError, DeviceError


class Bindings(types.ModuleType):
    """Answers every call with success, and writes it down."""

    def __init__(self, count=2, **answers):
        super().__init__("cuda.bindings.driver")
        self.calls = []
        self.answers = {
            "cuInit": (0,),
            "cuDeviceGetCount": (0, count),
            "cuDeviceGet": (0, "device"),
            "cuDevicePrimaryCtxRetain": (0, 7),
            "cuDeviceGetName": (0, b"A GPU\0\0\0"),
            "cuDeviceGetAttribute": (0, 9),
            "cuCtxGetCurrent": (0, 5),
            "cuMemGetInfo": (0, 10, 100),
            "cuMemAlloc": (0, 4096),
            "cuPointerGetAttribute": (0, 1),
            "cuGetErrorName": (0, b"CUDA_ERROR_TOO_BAD"),
            "cuGetErrorString": (0, b"it went wrong"),
            "cuEventElapsedTime": (0, 1500.0),
            **answers,
        }
        self.CUresult = types.SimpleNamespace(CUDA_ERROR_OUT_OF_MEMORY=2)
        self.CUdevice_attribute = self.CUpointer_attribute = Names()

    def __getattr__(self, name):
        if not name.startswith("cu"):
            raise AttributeError(name)

        def call(*given):
            self.calls.append((name, *given))
            answer = self.answers.get(name, (0,))
            return answer() if callable(answer) else answer

        return call


class Names:
    def __getattr__(self, name):
        return name


@pytest.fixture
def put(monkeypatch):
    """Put bindings in the place of the package."""

    def put(bindings):
        monkeypatch.setitem(sys.modules, "cuda.bindings.driver", bindings)
        cuda_driver.api.cache_clear()
        return bindings

    yield put
    cuda_driver.api.cache_clear()


def test_one_gpu(put):
    bindings = put(Bindings())
    driver = cuda_driver.CudaDriver(1)
    assert (driver.name, driver.capability, driver.num_multiprocessors) == ("A GPU", (9, 9), 9)
    assert driver.memory() == (10, 100)
    assert driver.allocate(8) == 4096
    assert driver.ordinal_of(8) == 1
    assert driver.seconds_between(1, 2) == 1.5
    assert driver.use() == 5
    assert bindings.calls[-1] == ("cuCtxSetCurrent", 7)
    driver.leave(5)
    assert bindings.calls[-1] == ("cuCtxSetCurrent", 5)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (b"\1", ("cuMemsetD8Async", 64, 1, 10, 3)),
        (b"\xff" * 8, ("cuMemsetD8Async", 64, 255, 80, 3)),
        (b"\1\2", ("cuMemsetD16Async", 64, 0x0201, 10, 3)),
        (b"\1\0\0\2", ("cuMemsetD32Async", 64, 0x02000001, 10, 3)),
        (b"\1\0\0\2" * 2, ("cuMemsetD32Async", 64, 0x02000001, 20, 3)),
    ],
)
def test_fills_in_one_call(put, pattern, expected):
    bindings = put(Bindings())
    driver = cuda_driver.CudaDriver(0)
    bindings.calls.clear()
    driver.fill(64, pattern, 10, 3)
    assert bindings.calls == [expected]


def test_fills_of_eight_bytes(put):
    bindings = put(Bindings())
    driver = cuda_driver.CudaDriver(0)
    bindings.calls.clear()
    driver.fill(64, b"\1\0\0\0\2\0\0\0", 10, 3)
    assert bindings.calls == [
        ("cuMemsetD2D32Async", 64, 8, 1, 1, 10, 3),
        ("cuMemsetD2D32Async", 68, 8, 2, 1, 10, 3),
    ]


@pytest.mark.parametrize("meets", [True, False])
def test_blocks_that_do_not_meet_need_not_run_at_the_same_time(put, meets):
    bindings = put(Bindings())
    driver = cuda_driver.CudaDriver(0)
    bindings.calls.clear()
    driver.launch(11, 8192, 512, 64, 3, meets)
    shape = (11, 8192, 1, 1, 512, 1, 1, 0, 3, 64)
    if meets:
        assert bindings.calls == [("cuLaunchCooperativeKernel", *shape)]
    else:
        assert bindings.calls == [("cuLaunchKernel", *shape, 0)]


def test_a_launch_and_what_is_around_it_are_one_graph(put):
    bindings, around, go = together(put, iter(["one", "two", "three", "four"]))
    names = [each[0] for each in bindings.calls]
    inside = names[names.index("cuStreamBeginCapture") : names.index("cuStreamEndCapture")]
    assert inside[1:] == ["cuLaunchKernel", "cuLaunchCooperativeKernel", "cuLaunchKernel"]
    assert launched(bindings, go, 3, 5, []) == [("one", "before"), ("one", "program"), ("one", 3)]
    assert launched(bindings, go, 4, 5, []) == [("one", 4)]
    around.words[1] = 5  # an array lies elsewhere
    assert launched(bindings, go, 4, 5, [])[-1] == ("two", 4)
    fills = [(16, 1, 2)]
    assert launched(bindings, go, 4, 5, fills)[-1] == ("three", 4)
    assert launched(bindings, go, 4, 6, fills)[-1] == ("four", 4)
    for place, ready in ((0, "one"), (5, "two")) * 2:  # by turns
        around.words[1] = place
        assert launched(bindings, go, 4, 5, []) == [(ready, 4)]
    around.words[1] = 6  # the oldest one is told of a fifth
    changed = [("one", "before"), ("one", "program"), ("one", 4)]
    assert launched(bindings, go, 4, 5, []) == changed
    assert around.ordered == [(5, []), (5, []), (5, fills), (6, fills), (5, [])]
    del go
    left = {each[1] for each in bindings.calls if each[0] == "cuGraphExecDestroy"}
    assert left == {"one", "two", "three", "four"}


def test_who_is_interrupted_leaves_no_graph_with_other_parameters(put):
    bindings, around, go = together(put, iter(["one", "two", "three"]))
    launched(bindings, go, 3, 5, [])
    around.words[1] = 5

    def interrupted():
        raise KeyboardInterrupt

    bindings.answers["cuGraphExecKernelNodeSetParams"] = interrupted
    with pytest.raises(KeyboardInterrupt):
        go(3, 5, [])
    del bindings.answers["cuGraphExecKernelNodeSetParams"]
    around.words[1] = 0
    assert launched(bindings, go, 3, 5, []) == [("one", 3)]
    around.words[1] = 5
    assert launched(bindings, go, 3, 5, []) == [
        ("three", "before"),
        ("three", "program"),
        ("three", 3),
    ]


def together(put, made):
    """Return bindings, something to launch with what is around it, and what launches it."""
    nodes = ["before", "program", "behind", None]
    graph = {"cuStreamCreate": (0, 8), "cuStreamEndCapture": (0, "graph")}
    graph |= {"cuGraphInstantiate": lambda: (0, next(made)), "cuGraphGetNodes": (0, nodes, 3)}
    params = {"cuGraphKernelNodeGetParams": lambda: (0, types.SimpleNamespace(kernelParams=0))}
    bindings = put(Bindings(**graph, **params))
    bindings.CUstreamCaptureMode = bindings.CUstream_flags = types.SimpleNamespace(
        CU_STREAM_CAPTURE_MODE_RELAXED=2, CU_STREAM_NON_BLOCKING=1
    )
    other, ordered = (11, 1, np.zeros(1, np.uint64)), []
    around = types.SimpleNamespace(
        words=np.zeros(2, np.uint64),
        parameters=64,
        blocks=4,
        kernel=types.SimpleNamespace(function=7),
        launches=lambda: [other, other],
        order=lambda up, fills: ordered.append((up, fills)),
        ordered=ordered,
    )
    return bindings, around, cuda_driver.CudaDriver(0).round(around)


def launched(bindings, go, stream, up, fills):
    """Launch it; return which graph was changed in which place, and launched on which stream."""
    bindings.calls.clear()
    go(stream, up, fills)
    names = "cuGraphExecKernelNodeSetParams", "cuGraphLaunch"
    return [each[1:3] for each in bindings.calls if each[0] in names]


def test_entries_are_copied_apart(put):
    bindings = put(Bindings())
    bindings.CUDA_MEMCPY2D = types.SimpleNamespace
    bindings.CUmemorytype = Names()
    cuda_driver.CudaDriver(0).copy_apart(64, 8, 32, 4, 10)
    name, rows = bindings.calls[-1]
    assert name == "cuMemcpy2DUnaligned"
    assert (rows.srcDevice, rows.srcPitch, rows.dstDevice, rows.dstPitch) == (32, 4, 64, 8)
    assert (rows.WidthInBytes, rows.Height) == (4, 10)


def test_no_package(monkeypatch, put):
    put(None)  # sys.modules then refuses the import
    with pytest.raises(BackendUnavailableError) as raised:
        cuda_driver.api()
    assert "pip install 'emv-graph[cuda]'" in str(raised.value)
    assert cuda_driver.num_devices() == 0


def test_no_driver(put):
    bindings = put(Bindings())

    def fail(flags):
        raise RuntimeError("libcuda.so.1 is not there")

    bindings.cuInit = fail
    with pytest.raises(BackendUnavailableError, match="there is no NVIDIA driver"):
        cuda_driver.api()


@pytest.mark.parametrize("answers", [{"count": 0}, {"cuInit": (100,)}])
def test_no_gpu(put, answers):
    put(Bindings(**answers))
    with pytest.raises(BackendUnavailableError, match="the driver finds none"):
        cuda_driver.api()
    assert cuda_driver.num_devices() == 0


@pytest.mark.parametrize(("count", "said"), [(1, "there is one GPU, cuda:0"), (2, "2 GPUs")])
def test_no_such_gpu(put, count, said):
    put(Bindings(count))
    with pytest.raises(BackendUnavailableError, match=f"no device 'cuda:5': .*{said}"):
        cuda_driver.CudaDriver(5)


def test_errors_of_the_driver(put):
    put(Bindings(cuMemAlloc=(2,), cuMemFree=(700,)))
    driver = cuda_driver.CudaDriver(0)
    with pytest.raises(answers.OutOfMemoryError):
        driver.allocate(10)
    with pytest.raises(DeviceError, match="CUDA_ERROR_TOO_BAD: it went wrong"):
        driver.free(10)


def test_whether_there_is_a_gpu_is_asked_without_a_driver(monkeypatch):
    def fail(name):
        raise OSError(name)

    monkeypatch.setattr(cuda_backend.ctypes, "CDLL", fail)
    cuda_backend.cuda_available.cache_clear()
    assert cuda_backend.cuda_available() is False
    cuda_backend.cuda_available.cache_clear()


@pytest.mark.parametrize(("missing", "expected"), [("", True), ("numba_cuda", False)])
def test_packages_count(monkeypatch, put, missing, expected):
    put(Bindings())
    monkeypatch.setattr(cuda_backend.ctypes, "CDLL", lambda name: name)
    monkeypatch.setattr(cuda_backend, "is_installed", lambda package: package != missing)
    cuda_backend.cuda_available.cache_clear()
    assert cuda_backend.cuda_available() is expected
    cuda_backend.cuda_available.cache_clear()
