"""`emv.show_config` and ``emv doctor`` say what a machine offers, also where parts are missing."""

from __future__ import annotations

import json

import pytest

import emv
from emv.backends.cuda import driver
from emv.cli import main
from emv.config import config
from emv.errors import BackendUnavailableError
from emv.runtime import doctor


class StandInGpu:
    """What the report asks a GPU."""

    def __init__(self, ordinal):
        self.name, self.capability = f"GPU {ordinal}", (9, 0)
        self.ordinal = ordinal

    def use(self):
        return 0

    def leave(self, before):
        assert before == 0

    def reaches(self, ordinal):
        return ordinal < 2

    def has_atomics(self, ordinal):
        return ordinal == 0

    def memory(self):
        return 2**30, 2**31


class StandInApi:
    @staticmethod
    def cuDriverGetVersion():  # noqa: N802 - the driver's name
        return 0, 13010


def test_gpus_and_driver(monkeypatch):
    monkeypatch.setattr(driver, "api", StandInApi)
    monkeypatch.setattr(driver, "num_devices", lambda: 2)
    monkeypatch.setattr(driver, "CudaDriver", StandInGpu)
    found = doctor.gpu_facts()
    assert found["cuda:1"] == "GPU 1, compute capability 9.0, 1.0 of 2.0 GiB free"
    assert found["CUDA driver"] == "for CUDA 13.1 and older"


def test_links_of_gpus(monkeypatch):
    found = doctor.links([StandInGpu(k) for k in range(3)])
    assert found["cuda:0, cuda:1"] == "reach each other's memory, but not by atomics"
    assert found["cuda:1, cuda:2"].startswith("no access to each other's memory: the host")


def test_why_there_is_no_gpu(monkeypatch):
    def missing():
        raise BackendUnavailableError("there is no driver")

    monkeypatch.setattr(driver, "api", missing)
    assert doctor.gpu_facts() == {"GPU": "none: there is no driver"}


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        ({"nvidia-nvvm": "13.0.88", "nvidia-nvjitlink": "13.0.12"}, "nvjitlink 13.0.12"),
        ({"nvidia-nvvm": "13.1.8", "nvidia-nvjitlink": "13.0.88"}, "must not be the older"),
        ({"nvidia-nvvm": "13.0.88"}, "nvjitlink not installed"),
        (
            {"nvidia-cuda-nvcc-cu12": "12.9.1", "nvidia-nvjitlink-cu12": "12.10.1"},
            "nvjitlink 12.10.1",
        ),
    ],
)
def test_compilers_that_do_not_fit(monkeypatch, versions, said):
    def version_of(*names):
        return next((versions[each] for each in names if each in versions), None)

    monkeypatch.setattr(doctor, "version_of", version_of)
    assert doctor.compilers().endswith(said)


@pytest.mark.parametrize(
    ("compiler", "numpy", "said"),
    [("0.30.4", "2.4.6", "0.30.4"), ("0.31.0", "2.5.0", "0.31.0"), (None, "2.5.0", doctor.ABSENT)],
)
def test_a_numba_cuda_that_fits(monkeypatch, compiler, numpy, said):
    versions = {"numba-cuda": compiler or doctor.ABSENT, "numpy": numpy}
    monkeypatch.setattr(doctor, "version", versions.get)
    assert doctor.numba_cuda() == said


def test_a_numba_cuda_that_does_not_fit_numpy(monkeypatch):
    versions = {"numba-cuda": "0.30.4", "numpy": "2.5.0"}
    monkeypatch.setattr(doctor, "version", versions.get)
    assert doctor.numba_cuda().endswith("does not work with NumPy 2.5 or newer")


def test_cache(tmp_path):
    with config.using(cache=tmp_path / "none"):
        assert doctor.cache().endswith("none, empty")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "kernels.py").write_text(" " * 2**20)
    with config.using(cache=tmp_path):
        assert doctor.cache() == f"{tmp_path}, 1 files of 1.0 MiB"


def test_command_and_function_say_the_same(capsys):
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    emv.show_config()
    assert capsys.readouterr().out == shown
    assert main(["doctor", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["emv"] == emv.__version__
    assert list(facts) == [line.split("  ")[0] for line in shown.splitlines()]
