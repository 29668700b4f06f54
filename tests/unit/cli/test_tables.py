"""Tables with named columns, standard input and addresses on the command line."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

ROADS = "from;to;km;opened;kind\nUlm;Bonn;4,5;2019-05-01;road\nBonn;Jena;3;2020-02-29;rail\n"


@pytest.fixture
def roads(tmp_path):
    path = tmp_path / "roads.csv"
    path.write_text(ROADS)
    return path


def test_ends_columns_and_vertices(command, roads, tmp_path):
    places = tmp_path / "places.csv"
    places.write_text("id,x\nUlm,1\nBonn,2\nJena,3\nKiel,4\n")
    facts = command.json(
        "info",
        roads,
        *("--ends", "to,from", "--columns", "km,opened=days,kind=codes", "--vertices", places),
    )
    assert facts["edge_columns"] == {"km": "f64", "opened": "i64", "kind": "i64"}
    assert (facts["vertices"], facts["vertex_columns"]) == (4, {"x": "i64"})
    assert (facts["format"], facts["out_degree"]["max_at"]) == ("table", "Bonn")


def test_a_shortest_path_of_a_table(command, roads):
    line = ("run", "sssp", roads, "--source", "Ulm", "--set", "weight=km", "--device", "python")
    done = command(*line)
    assert (done.code, done.out.split()[-6:]) == (0, ["Jena", "7.5", "Bonn", "4.5", "Ulm", "0"])
    assert "left out: column 'kind' of edges is a column of texts; --columns kind=codes" in done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--ends", "from"], "--ends from is no A,B, such as from,to"),
        (["--ends", "from,two"], "has no column 'two'; it has from, to, km, opened, kind"),
        (["--columns", "day"], "column 'day' of edges is not there"),
        (
            ["--columns", "kind"],
            "column 'kind' of edges is a column of texts, --columns kind=",
        ),
        (["--columns", "opened=day"], "columns says 'day' of 'opened'. Did you mean 'days'?"),
        (["--separator", ";;"], "separator is ';;', expected one character"),
    ],
)
def test_mistakes(command, roads, options, said):
    assert said in command.mistake("info", roads, *options)


class Input:
    """Standard input with some bytes in it."""

    def __init__(self, text):
        self.buffer = io.BytesIO(text.encode())


def test_standard_input_and_output(command, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", Input("a;b;km\nUlm;Bonn;1,5\n"))
    facts = command.json("info", "-")
    assert (facts["graph"], facts["vertices"]) == ("-", 2)


def test_a_graph_on_standard_output_stands_there_alone(tmp_path):

    path = tmp_path / "g.txt"
    path.write_text("0 1\n1 2\n")
    line = [sys.executable, "-m", "emv", "convert", str(path), "-", "--to", "matrix-market"]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.stdout == "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n"
    assert "saved to -" in done.stderr
    refused = subprocess.run([*line, "--json"], capture_output=True, text=True)
    assert (refused.returncode, "would both go to standard output" in refused.stderr) == (2, True)
