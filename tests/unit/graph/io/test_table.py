"""Tables with named columns: what a spreadsheet saves is read as pandas and Arrow read it."""

from __future__ import annotations

import io
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import emv
from emv.errors import ArgumentError, GraphFormatError
from emv.graph import Graph
from emv.graph.io import find_format, table_rows
from emv.graph.io.source import source_of

ROADS = """from;to;length (km);toll;opened;kind
Ulm;Bonn;4,5;true;2019-05-01;road
Bonn;"Jena; east";3;false;2020-02-29;rail
"Jena; east";Ulm;2,25;true;1969-12-31;road
"""
WAYS = {"length (km)": None, "toll": None, "opened": "days", "kind": "codes"}


@pytest.fixture(params=["pyarrow", "python"])
def reader(request, monkeypatch) -> str:
    """Every test runs by pyarrow, and as on a machine without it."""
    if request.param == "python":
        monkeypatch.setattr(table_rows, "is_installed", lambda name: False)
    return str(request.param)


def read(text: str, **options: Any) -> Graph:
    return emv.read(io.BytesIO(text.encode()), **options)


def told(g: Graph) -> dict[str, list[Any]]:
    return {name: g.edges[name].tolist() for name in g.edges}


def ends_of(g: Graph) -> list[tuple[Any, Any]]:
    labels = range(g.num_vertices) if g.labels is None else g.labels.tolist()
    return [(labels[s], labels[d]) for s, d in zip(g.edges.src, g.edges.dst, strict=True)]


def test_quotes_semicolons_texts_decimal_commas_dates_and_categories(reader) -> None:
    g = read(ROADS, columns=WAYS)
    rows = pd.read_csv(io.StringIO(ROADS), sep=";", decimal=",", parse_dates=["opened"])
    assert ends_of(g) == list(zip(rows["from"], rows["to"], strict=True))
    days = (rows["opened"] - pd.Timestamp(0)).dt.days
    assert told(g) == {
        "length_km": rows["length (km)"].tolist(),
        "toll": rows["toll"].tolist(),
        "opened": days.tolist(),
        "kind": rows["kind"].astype("category").cat.codes.tolist(),
    }
    assert g.edges.length_km.dtype == np.float64


def test_what_is_left_out_is_said_once_by_name(reader, caplog) -> None:
    with caplog.at_level(logging.WARNING, "emv"):
        g = read(ROADS)
    assert g.edges.names() == ["length_km", "toll"]
    assert [each for each in caplog.messages if "opened" in each or "kind" in each] == [
        "<file>: left out: column 'opened' of edges is a column of times; "
        'columns={"opened": "seconds"} makes them numbers',
        "<file>: left out: column 'kind' of edges is a column of texts; "
        'columns={"kind": "codes"} numbers them',
    ]
    with pytest.raises(emv.EmvError, match="column 'kind' of edges is a column of texts"):
        _ = g.edges.kind


def test_the_codes_are_said(caplog) -> None:
    with caplog.at_level(logging.INFO, "emv"):
        read(ROADS, columns={"kind": "codes"})
    assert "<file>: the codes of column 'kind' are 0 rail, 1 road" in caplog.messages


UNITS = ("days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds")


@pytest.mark.parametrize("unit", UNITS)
def test_times_in_every_unit_are_numpys(reader, unit: str) -> None:
    times = ["2019-05-01 07:08:09", "1969-12-31 23:59:59"]
    g = read(f"u,v,at\na,b,{times[0]}\nb,c,{times[1]}\n", columns={"at": unit})
    expected = (pd.to_datetime(times) - pd.Timestamp(0)) // pd.Timedelta(1, unit)
    np.testing.assert_array_equal(g.edges.at, expected)


@pytest.mark.parametrize(
    "head", ["src,dst", "source,target", "From,To", "~from,~to", ":START_ID,:END_ID", "u,v"]
)
def test_ends_are_found_by_name(reader, head: str) -> None:
    src, dst = head.split(",")
    g = read(f"km,{dst},{src}\n1.5,b,a\n2.5,c,b\n")
    assert ends_of(g) == [("a", "b"), ("b", "c")]
    assert told(g) == {"km": [1.5, 2.5]}


def test_ends_and_columns_by_request(reader) -> None:
    text = "who,whom,at,km,day\nx,y,a,1,2\ny,z,b,3,4\n"
    g = read(text, source="whom", target="at", columns=["day"])
    assert ends_of(g) == [("y", "a"), ("z", "b")]
    assert told(g) == {"day": [2, 4]}
    assert ends_of(read(text, columns=[])) == [("x", "y"), ("y", "z")]


def test_numbers_among_texts_are_the_texts_of_the_file(reader) -> None:
    g = read("src,dst,km\n1,x,1\n007,1,2\n1.0,7,3\n")
    assert ends_of(g) == [("1", "x"), ("007", "1"), ("1.0", "7")]


def test_whole_numbers_as_pandas_saves_them_beside_missing_ones(reader) -> None:
    assert ends_of(read("src,dst,km,x\n1.0,20,1,a\n20.0,1,2,b\n")) == [(1, 20), (20, 1)]


def test_whole_numbers_are_numbered_in_increasing_order(reader) -> None:
    g = read('src,dst,"a b",c\n30,10,1,x\n10,20,2,y\n')
    assert g.labels.tolist() == [10, 20, 30]
    assert told(g) == {"a_b": [1, 2]}


def test_a_plain_table_needs_no_pyarrow(monkeypatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("read by a library")

    monkeypatch.setattr("emv.graph.io.table.read_rows", refuse)
    g = read("src,dst,km\n3,1,2.5\n1,2,4\n")
    assert (g.labels.tolist(), told(g)) == ([1, 2, 3], {"km": [2.5, 4.0]})
    assert read("src\tdst\n0\t1\n").num_edges == 1


def test_a_plain_beginning_may_go_on_otherwise(reader) -> None:
    g = read("src,dst,km\n3,1,2.5\nann,2,4\n")
    assert ends_of(g) == [("3", "1"), ("ann", "2")]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_what_parts_columns_is_found(reader, separator: str) -> None:
    text = "from,to,km\nann,bob,1\nbob,cy,2\n".replace(",", separator)
    assert ends_of(read(text)) == [("ann", "bob"), ("bob", "cy")]


def test_excel_says_its_separator_and_a_mark_stands_before_it(reader) -> None:
    g = read("\ufeffsep=;\nfrom;to;km\nann;bob;1,5\n")
    assert (ends_of(g), told(g)) == ([("ann", "bob")], {"km": [1.5]})
    assert ends_of(read("\ufefffrom;to\nann;bob\n")) == [("ann", "bob")]


def test_a_separator_by_request(reader) -> None:
    g = read("from to,km\nann bob,1\n", separator=",", source="from to", target="km")
    assert ends_of(g) == [("ann bob", "1")]


def test_comments_and_blank_lines_are_passed_over(reader) -> None:
    g = read("# made by hand\n\nfrom,to,km\nann,bob,1\n\n# and then\nbob,cy,2\n")
    assert told(g) == {"km": [1, 2]}


def test_without_a_line_of_names(reader) -> None:
    g = read("ann,bob,2.5,x\nbob,cy,1,y\n", header=False, columns=["weight"])
    assert (ends_of(g), told(g)) == ([("ann", "bob"), ("bob", "cy")], {"weight": [2.5, 1.0]})


def test_names_without_a_sign_of_being_names_are_no_header() -> None:
    with pytest.raises(GraphFormatError, match="'ann"):
        read("ann,bob\nbob,cy\n")
    assert read("ann,bob\nbob,cy\n", format="ncol").num_edges == 2


def test_neo4j(reader, tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("personId:ID(Person),name,age:int,:LABEL\n1,Ann,31,Person\n2,Bob,27,Person\n")
    text = ":START_ID(Person),since:int,:END_ID(Person),:TYPE\n2,2019,1,KNOWS\n"
    g = read(text, vertices=people)
    assert ends_of(g) == [(2, 1)]
    assert (g.vertices.age.tolist(), told(g)) == ([31, 27], {"since": [2019]})
    films = read(":START_ID(Person),:END_ID(Film)\n1,1\n2,1\n")
    assert ends_of(films) == [("Person:1", "Film:1"), ("Person:2", "Film:1")]


def test_neptune(reader, tmp_path: Path) -> None:
    vertices = tmp_path / "vertices.csv"
    vertices.write_text("~id,~label,age:Int(single),name:String\nv1,p,3,x\nv2,p,4,y\nv3,p,5,z\n")
    g = read("~id,~from,~to,~label,weight:Double\ne1,v1,v3,knows,0.5\n", vertices=vertices)
    assert (g.num_vertices, ends_of(g)) == (3, [("v1", "v3")])
    assert (g.vertices.age.tolist(), told(g)) == ([3, 4, 5], {"weight": [0.5]})


def test_vertices_with_numbers_and_edges_with_texts_meet_as_texts(reader, tmp_path: Path) -> None:
    vertices = tmp_path / "v.csv"
    vertices.write_text("id,x\n1,0.5\n2,1.5\n")
    assert ends_of(read("from,to,km\n1,2,3\n", vertices=vertices)) == [(1, 2)]
    with pytest.raises(GraphFormatError, match="to of edge 0 is 'b', which is no vertex"):
        read("from,to,km\n1,b,3\n", vertices=vertices)


MISTAKES = {
    "a,b,c\n1,2\n": (GraphFormatError, ":2: ", {"format": "table"}),
    "from,to,km\nann,bob,1\nbob,cy\n": (GraphFormatError, ":3: expected 3 columns, got 2", {}),
    "from,to,km\nann,bob,1\n,cy,2\n": (GraphFormatError, "from of edge 1 is missing", {}),
    "from,to,km\n1,2,1\n,3,2\n": (GraphFormatError, "has no value in row 1|from", {}),
    "from,to,from\nann,bob,1\n": (GraphFormatError, "has two columns 'from'", {}),
    "from,to,km\n": (GraphFormatError, "holds no edge", {}),
    "~id,~label,n:Int\na,b,1\n": (GraphFormatError, "is a table of vertices", {}),
    "from,to,km\nann,bob,1\n": (
        GraphFormatError,
        "has no column 'tow'; it has from, to, km. Did you mean 'to'",
        {"target": "tow"},
    ),
    "from,to,km \nann,bob,1\n": (
        GraphFormatError,
        "column 'day' of edges is not there",
        {"columns": ["day"]},
    ),
    "from,to,at\nann,bob,x\n": (
        GraphFormatError,
        "column 'at' of edges is a column of texts",
        {"columns": ["at"]},
    ),
    "from,to,cost\nann,bob,1\n\nbob,cy,x\ncy,ann,2\n": (
        GraphFormatError,
        r"column 'cost' of edges holds 'x' in row 1 \(line 4\), and numbers elsewhere, "
        "write a number there, or, if they are texts",
        {"columns": ["cost"]},
    ),
    "from;to;cost\nann;bob;1,5\n# a note\nbob;cy;?\ncy;ann;n/a\nann;cy;NA\ncy;cy;2,5\ncy;bob;3": (
        GraphFormatError,
        r"holds '\?' in row 1 \(line 4\) and texts in 1 others, and numbers elsewhere",
        {"columns": ["cost"]},
    ),
    "from,to,n\nann,bob,1\n": (GraphFormatError, "holds no times", {"columns": {"n": "days"}}),
    "from,to,o\nann,bob,1\n": (
        ArgumentError,
        "columns says 'day' of 'o'",
        {"columns": {"o": "day"}},
    ),
    "from,to,q\nann,bob,1\n": (ArgumentError, "separator is ';;'", {"separator": ";;"}),
    "from,to,r\nann,bob,1\n": (ArgumentError, "there is no option 'sorce'", {"sorce": "r"}),
    "from,to,s\nann,bob,1\n": (
        GraphFormatError,
        "both ends .* in the column 's'",
        {"source": "s", "target": "s"},
    ),
    "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n": (
        ArgumentError,
        "source= is given, but <file> is a Matrix Market file",
        {"source": "a"},
    ),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_are_told(reader, text: str) -> None:
    error, said, options = MISTAKES[text]
    with pytest.raises(error, match=said):
        read(text, **options)


def test_a_missing_number_leaves_its_column_out(reader, caplog) -> None:
    with caplog.at_level(logging.WARNING, "emv"):
        g = read("from,to,km,day\nann,bob,1,2\nbob,cy,,3\ncy,ann,NA,4\n")
    assert told(g) == {"day": [2, 3, 4]}
    assert "column 'km' of edges has no value in row 1 (line 3) and in 1 others" in "".join(
        caplog.messages
    )
    with pytest.raises(GraphFormatError, match=r"'km' of edges has no value in row 1 \(line 3\)"):
        read("from,to,km\nann,bob,1\nbob,cy,\n", columns=["km"])


@pytest.mark.parametrize("text", ["0;1;1,5\n1;2;2,5\n", "# roads\n0;1;1.5\n1;2;2.5\n"])
def test_rows_parted_by_semicolons_need_no_line_of_names(reader, text) -> None:
    g = read(text)
    assert ends_of(g) == [(0, 1), (1, 2)]
    assert told(g) == {"weight": [1.5, 2.5]}


def test_a_column_of_other_texts_is_one_of_texts(reader, caplog) -> None:
    with caplog.at_level(logging.WARNING, "emv"):
        read("from,to,name\nann,bob,a1\nbob,cy,12\ncy,ann,b\n")
    assert "column 'name' of edges is a column of texts" in "".join(caplog.messages)


def test_numbers_keep_their_width(reader) -> None:
    g = read("from,to,w,n,b\na,b,0.1,9007199254740993,true\nb,c,nan,-2,false\n")
    assert [g.edges[name].dtype.name for name in ("w", "n", "b")] == ["float64", "int64", "bool"]
    assert g.edges.n.tolist() == [9007199254740993, -2]
    assert np.isnan(g.edges.w[1])


def test_both_readers_agree_on_a_large_table(tmp_path: Path, monkeypatch) -> None:
    rng = np.random.default_rng(1)
    names = np.array([f"v{number}" for number in range(50)])
    frame = pd.DataFrame(
        {
            "from": names[rng.integers(0, 50, 3000)],
            "to": names[rng.integers(0, 50, 3000)],
            "km": rng.random(3000),
            "n": rng.integers(-(2**62), 2**62, 3000),
            "kind": np.array(["x", 'y "z"', "a,b", "c\nd"])[rng.integers(0, 4, 3000)],
        }
    )
    path = tmp_path / "roads.csv.gz"
    frame.to_csv(path, index=False)
    ways = {"km": None, "n": None, "kind": "codes"}
    by_arrow = emv.read(path, columns=ways)
    assert ends_of(by_arrow) == list(zip(frame["from"], frame["to"], strict=True))
    np.testing.assert_array_equal(by_arrow.edges.km, frame["km"])
    np.testing.assert_array_equal(by_arrow.edges.n, frame["n"])
    np.testing.assert_array_equal(by_arrow.edges.kind, frame["kind"].astype("category").cat.codes)
    monkeypatch.setattr(table_rows, "is_installed", lambda name: False)
    assert told(emv.read(path, columns=ways)) == told(by_arrow)


def test_columns_of_parquet_are_chosen_too(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["y", "z"], "kind": ["p", "q"], "km": [1.5, 2]})
    frame["at"] = pd.to_datetime(["2019-05-01", "2020-01-01"])
    frame.to_parquet(path)
    g = emv.read(path, source="b", target="a", columns={"kind": "codes", "at": "days"})
    assert ends_of(g) == [("y", "x"), ("z", "y")]
    assert told(g) == {"kind": [0, 1], "at": [18017, 18262]}
    with pytest.raises(ArgumentError, match="separator= is given, but"):
        emv.read(path, separator=",")


@pytest.mark.parametrize(
    "text",
    [
        "0 1\n1 2\n",
        "0,1,2.5\n1,2,1\n",
        "3 2\n0 1\n1 2\n",
        "ann bob\nbob cy\n",
        "ann,bob,2\ncy,a,1\n",
    ],
)
def test_lists_without_names_are_no_tables(text: str) -> None:
    assert find_format(source_of(io.BytesIO(text.encode()))).name != "table"
