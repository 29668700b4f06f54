"""The EMV_DEBUG ladder and EMV_DUMP."""

from __future__ import annotations

import pytest

from emv import Graph, config
from emv.algorithms import bfs
from emv.errors import ArgumentError
from emv.runtime.arguments import sort_arguments
from emv.runtime.report import dump, run_text, tell_end, tell_kernels, tell_start
from emv.runtime.run import LaunchTime, Run, RunColumns

GRAPH = Graph.from_edges([0, 1], [1, 2])
RUN = Run(
    "walk",
    None,
    RunColumns({}),
    RunColumns({}),
    3,
    "limit",
    0.5,
    "cpu",
    launches=[LaunchTime("short", 2, 0.1), LaunchTime("loop_2", 1, 0.4, supersteps=3)],
)


def compiled():
    arguments = sort_arguments(bfs.python, bfs.bind, (0,), {})
    return bfs._compiled_half().compiled(GRAPH, arguments)


RUNGS = {
    1: "emv: bfs on cpu, 2 threads: Graph(3 vertices, 2 edges, directed)",
    2: "emv: walk on cpu: 3 supersteps, limit, 500.0 ms",
    3: "because either: the active set varies",
    4: "from emv_kernels.cpu.queues import",
    5: "reads own.depth; writes own.depth; does activate",
}


@pytest.mark.parametrize("level", range(6))
def test_every_rung_has_those_below_it(capsys, level):
    with config.using(debug=level, dump=""):
        tell_start("bfs", "cpu", 2, GRAPH)
        tell_kernels(compiled())
        tell_end(RUN)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert [rung for rung, text in RUNGS.items() if text in captured.err] == list(
        range(1, level + 1)
    )


def test_longest_launch_comes_first():
    lines = run_text(RUN).splitlines()
    assert lines[1].split() == ["loop_2", "400.00", "ms", "1", "calls", "3", "supersteps"]
    assert lines[2].split() == ["short", "100.00", "ms", "2", "calls"]


def test_eager_runs_tell_where_they_run(capsys):
    with config.using(debug=2):
        bfs(GRAPH.on("python"), 0)
    first, second = capsys.readouterr().err.splitlines()
    assert first == f"emv: bfs on python: {GRAPH.on('python')}"
    assert second.startswith("emv: bfs on python: 3 supersteps, converged, ")


def test_dump_writes_program_schedule_and_kernels(tmp_path):
    folder = tmp_path / "made" / "here"
    with config.using(debug=0, dump=str(folder)):
        tell_kernels(compiled())
    stem = f"bfs-{compiled().source.digest()}"
    assert sorted(path.name for path in folder.iterdir()) == [
        f"{stem}.program",
        f"{stem}.py",
        f"{stem}.schedule",
    ]
    assert (folder / f"{stem}.py").read_text() == compiled().source.text
    assert (folder / f"{stem}.schedule").read_text() == str(compiled().schedule)
    assert (folder / f"{stem}.program").read_text().startswith("program bfs\n")


def test_dump_into_what_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ArgumentError, match=r"EMV_DUMP is '.*file', which cannot be written: .+"):
        dump(compiled(), str(tmp_path / "file"))
