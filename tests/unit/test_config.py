"""The knobs are read from the environment when first asked for, and wrong ones are named."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from emv.config import Config, check_backend
from emv.errors import ArgumentError, BackendUnavailableError

MISTAKES = {
    "EMV_BACKEND": ("gpu", "EMV_BACKEND is one of auto, python, cpu, cuda, cuda:N, not 'gpu'"),
    "EMV_DEBUG": ("abc", "EMV_DEBUG is a whole number from 0 to 5, not 'abc'"),
    "EMV_NUM_THREADS": ("-2", "EMV_NUM_THREADS is a whole number from 0 on, not '-2'"),
    "EMV_DETERMINISTIC": ("yes", "EMV_DETERMINISTIC is 0 or 1, not 'yes'"),
}


@pytest.mark.parametrize("variable", MISTAKES)
def test_wrong_value_is_named_when_asked_for(monkeypatch, variable):
    value, message = MISTAKES[variable]
    monkeypatch.setenv(variable, value)
    config = Config()
    with pytest.raises(ArgumentError, match=message):
        getattr(config, variable.removeprefix("EMV_").lower())
    with pytest.raises(ArgumentError, match=message):
        config.check()


def test_attribute_beats_environment_beats_default(monkeypatch):
    monkeypatch.setenv("EMV_DEBUG", "3")
    monkeypatch.delenv("EMV_DUMP", raising=False)
    config = Config()
    config.dump = "here"
    assert (config.debug, config.dump, config.deterministic) == (3, "here", False)
    monkeypatch.setenv("EMV_DEBUG", "4")
    assert config.debug == 3  # read once
    with config.using(debug=0, deterministic=True):
        assert (config.debug, config.deterministic) == (0, True)
    assert (config.debug, config.deterministic) == (3, False)


def test_empty_variable_counts_as_unset(monkeypatch):
    monkeypatch.setenv("EMV_DEBUG", "")
    monkeypatch.setenv("EMV_NUM_THREADS", "")
    assert Config().debug == 0
    assert Config().num_threads >= 1


def test_unknown_knob():
    with (
        pytest.raises(AttributeError, match="no knob 'colour'; there are backend"),
        Config().using(colour=1),
    ):
        pass


def test_wrong_knob_does_not_stop_the_import_and_is_one_line_of_the_command():
    environment = {**os.environ, "EMV_DEBUG": "abc"}
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "emv", "info", "no-such-file"],
        capture_output=True,
        text=True,
        env=environment,
        cwd=root,
    )
    assert done.returncode == 2
    assert done.stderr == "emv: error: EMV_DEBUG is a whole number from 0 to 5, not 'abc'\n"


def test_names_of_backends():
    assert [check_backend(name) for name in ("cpu", "cuda", "cuda:1")] == ["cpu", "cuda", "cuda:1"]
    with pytest.raises(BackendUnavailableError, match=r"(?s)'cuad'.*There are: auto, python, cpu"):
        check_backend("cuad")


@pytest.mark.parametrize(
    ("written", "cores"),
    [
        (("150000 100000",), 2),
        (("50000 100000",), 1),
        (("max 100000",), None),
        (("-1", "100000"), None),
        (("100000", "100000"), 1),
        ((), None),
    ],
)
def test_quota_of_a_container_counts_as_cores(tmp_path, monkeypatch, written, cores):
    places = tuple(tmp_path / f"part{k}" for k in range(max(1, len(written))))
    for place, text in zip(places, written, strict=False):
        place.write_text(text + "\n")
    monkeypatch.setattr(sys.modules["emv.config"], "CGROUPS", (places,))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    monkeypatch.delenv("EMV_NUM_THREADS", raising=False)
    assert Config().num_threads == (cores or 4)


def test_digits_of_other_scripts_are_no_numbers(monkeypatch):
    monkeypatch.setenv("EMV_NUM_THREADS", "٣")
    with pytest.raises(ArgumentError, match="EMV_NUM_THREADS is a whole number"):
        Config().check()
