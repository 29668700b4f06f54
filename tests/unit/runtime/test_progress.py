"""A bar tells of runs that take long, where somebody waits, and nowhere else."""

import sys
import types

import pytest

import emv
from emv import Graph, config
from emv.algorithms import bfs, pagerank
from emv.errors import ArgumentError
from emv.runtime import progress
from emv.runtime.prepared_call import NOTHING

PATH = Graph.from_edges(range(50), range(1, 51))


@pytest.fixture
def bars(monkeypatch):
    """The bars that were drawn, by a module in the place of tqdm, from the first superstep on."""
    drawn = []

    class Bar:
        def __init__(self, desc, total, unit):
            self.desc, self.total, self.n, self.closed = desc, total, 0, False
            drawn.append(self)

        def update(self, count):
            self.n += count

        def set_postfix_str(self, text, refresh):
            self.text = text

        def close(self):
            self.closed = True

    module = types.ModuleType("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    monkeypatch.setattr(progress, "FIRST_S", 0.0)
    return drawn


@pytest.mark.parametrize("backend", ["python", "cpu"])
def test_bars_tell_how_far_a_run_is(bars, backend):
    heard = []
    with config.using(progress="on"):
        run = bfs.run(PATH, 0, backend=backend, callback=lambda step, _: heard.append(step))
    (bar,) = bars
    assert (bar.desc, bar.total, bar.n, bar.closed) == ("bfs", None, run.supersteps, True)
    assert heard[-1] == run.supersteps
    with config.using(progress="on"):
        pagerank(PATH, max_iter=7, tol=0, backend=backend)
    assert (bars[1].total, bars[1].n) == (7, 7)


def test_a_callback_still_ends_the_run(bars):
    with config.using(progress="on"):
        run = bfs.run(PATH, 0, backend="python", callback=lambda step, _: step == 3)
    assert (run.supersteps, run.stopped, bars[0].n) == (3, "callback", 3)


def test_bars_are_closed_by_errors(bars):
    def failing(step, info):
        raise ZeroDivisionError

    with config.using(progress="on"), pytest.raises(ZeroDivisionError):
        bfs.run(PATH, 0, backend="python", callback=failing)
    assert bars[0].closed


def test_scripts_and_batches_are_silent(bars, monkeypatch):
    bfs.run(PATH, 0, backend="python")
    with config.using(progress="off"):
        monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
        bfs.run(PATH, 0, backend="python")
    with config.using(progress="on"):
        bfs.batch(PATH, [0, 1], backend="cpu")
    assert bars == []


def test_prompts_draw_bars_where_tqdm_is(bars, monkeypatch):
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    for is_there in (False, True):
        monkeypatch.setattr(progress, "_has_tqdm", lambda is_there=is_there: is_there)
        bfs.run(PATH, 0, backend="python")
        assert len(bars) == is_there


@pytest.mark.parametrize(("first", "is_short"), [(60.0, True), (0.0, False)])
def test_prepared_calls_are_ordinary_ones_where_they_may_have_a_bar(
    first, is_short, bars, monkeypatch
):
    monkeypatch.setattr(progress, "FIRST_S", first)
    search = bfs.prepare(PATH, 0, backend="cpu")
    with config.using(progress="on"):
        for _ in range(4):
            search()
    assert (search._found is not NOTHING) == is_short


def test_short_runs_have_none(bars, monkeypatch):
    monkeypatch.setattr(progress, "FIRST_S", 60.0)
    with config.using(progress="on"):
        bfs.run(PATH, 0, backend="python")
    assert bars == []


def test_bars_that_are_asked_for_need_tqdm(monkeypatch):
    monkeypatch.setattr(progress, "FIRST_S", 0.0)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with config.using(progress="on"), pytest.raises(ArgumentError, match="is not installed") as e:
        bfs.run(PATH, 0, backend="python")
    assert 'pip install "emv-graph[progress]"' in str(e.value)


def test_words_are_checked(monkeypatch):
    monkeypatch.setenv("EMV_PROGRESS", "yes")
    with pytest.raises(ArgumentError, match="EMV_PROGRESS is one of auto, on, off"):
        _ = type(emv.config)().progress
