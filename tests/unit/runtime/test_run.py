"""What a run leaves behind reads well and names its columns."""

import numpy as np
import pytest

from emv.errors import ColumnError
from emv.runtime.run import LaunchTime, Run, RunColumns

COLUMNS = RunColumns({"depth": np.array([0, 1])})


def test_one_line():
    run = Run("bfs", None, COLUMNS, RunColumns({}), 7, "converged", 0.0123, "cpu")
    assert repr(run) == "Run(bfs on cpu: 7 supersteps, converged, 12.3 ms)"
    assert (run.compile_seconds, run.launches) == (0.0, [])
    assert (repr(run.vertices), repr(run.edges)) == ("columns: depth", "columns: none")


def test_columns_by_name_and_by_attribute():
    assert COLUMNS.depth is COLUMNS["depth"]
    assert COLUMNS.names() == ["depth"]
    with pytest.raises(ColumnError, match=r"no column 'dept'; it has depth\. Did you mean 'depth'"):
        COLUMNS.dept  # noqa: B018
    assert not hasattr(COLUMNS, "_private")


def test_line_of_a_launch_and_of_a_loop():
    assert str(LaunchTime("settle_1", 3, 0.25)).split() == [
        "settle_1",
        "250.00",
        "ms",
        "3",
        "calls",
    ]
    assert str(LaunchTime("loop_2", 1, 0.0, 1234)).endswith("1 calls  1,234 supersteps")
