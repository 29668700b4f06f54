"""A first line that is nearly a banner is an error, whatever the file is called."""

from __future__ import annotations

import pytest
from graph_files import DATA

from emv.errors import GraphFormatError
from emv.graph.io import read
from emv.graph.io.banner import is_nearly_banner

WORDS = " matrix coordinate real symmetric"
BODY = "\n3 3 2\n2 1 5\n3 1 6\n"
NEARLY = [
    f"%MatrixMarket{WORDS}",
    f"% %MatrixMarket{WORDS}",
    f"%% MatrixMarket{WORDS}",
    f"%%%MatrixMarket{WORDS}",
    f"%%Matrix Market{WORDS}",
    f"%%Matrix-Market{WORDS}",
    f"%%MatrixMarkt{WORDS}",
    f"%%MartixMarket{WORDS}",
    f"#%%MatrixMarket{WORDS}",
    f"//%%MatrixMarket{WORDS}",
    f"%{WORDS}",
    "%%MatrixMarkte matrix coordinate reel symetric",
    "%MatrixMarket, matrix, coordinate, real, symmetric",
]


@pytest.mark.parametrize("name", ["a.mtx", "a.txt", "a.tsv", "a"])
@pytest.mark.parametrize("banner", NEARLY)
def test_what_is_nearly_a_banner_is_refused(write, banner: str, name: str) -> None:
    with pytest.raises(GraphFormatError, match=r"is nearly a banner, write it as") as caught:
        read(write(banner + BODY, name))
    assert caught.value.line == 1


@pytest.mark.parametrize("name", ["a.mtx", "a.txt"])
@pytest.mark.parametrize("above", ["% of my friends", "# 2019\n"])
def test_a_banner_that_stands_below_is_refused(write, above: str, name: str) -> None:
    with pytest.raises(GraphFormatError, match=r"is nearly a banner") as caught:
        read(write(f"{above}\n%%MatrixMarket{WORDS}{BODY}", name))
    assert caught.value.line == 2 + above.count("\n")


def test_a_second_banner_is_refused(write) -> None:
    text = f"%%MatrixMarket{WORDS}\n%%MatrixMarket matrix coordinate real general{BODY}"
    with pytest.raises(GraphFormatError, match="is a second banner") as caught:
        read(write(text, "a.mtx"))
    assert caught.value.line == 2


@pytest.mark.parametrize(
    "banner",
    [
        f"%%MatrixMarket{WORDS}",
        f"  %%MATRIXMARKET{WORDS.upper()}\t",
        f"\ufeff\n%%MatrixMarket{WORDS}",
    ],
)
def test_banners_are_read_in_any_case_and_between_blanks(write, banner: str) -> None:
    g = read(write(banner + BODY, "a"))
    assert (g.directed, g.num_edges) == (False, 2)


@pytest.mark.parametrize(
    "comment",
    [
        "% a symmetric matrix, real coordinates",
        "% written by the Matrix Market tools",
        "% sym unweighted",
        "# Undirected graph: ../../data/output/youtube.ungraph.txt",
        "% name: HB/bcsstk13 | kind: computational fluid dynamics problem",
        "%%GraphBLAS type uint8_t",
        "%",
        "%%%%%%%",
    ],
)
def test_other_comments_are_comments(write, comment: str) -> None:
    assert not is_nearly_banner(comment.encode())
    assert read(write(f"{comment}\n0 1\n1 2\n")).num_edges == 2


def test_no_file_of_the_tests_has_a_comment_that_looks_like_one() -> None:
    """Files that others wrote, with whatever they say above their numbers."""
    lines = 0
    for path in DATA.rglob("*"):
        if path.suffix in (".mtx", ".txt", ".edgelist", ".konect", ".csv"):
            comments = [each for each in path.read_bytes().splitlines() if each[:1] in (b"%", b"#")]
            lines += len(comments)
            assert not any(map(is_nearly_banner, comments[1:]))
    assert lines > 100
