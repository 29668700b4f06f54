"""A stand-in for dblp.xml: papers by authors whose names, fields and papers are drawn.

Usage: python tests/coauthors.py OUT.xml --papers 300 --seed 1

Every author belongs to a field. A paper has a first author, drawn with a chance in proportion to
the papers that the author has by then, and up to six others: mostly those of an earlier paper of
the first author, then others of the field, seldom anybody. So the graph of co-authors is one of
overlapping cliques with hubs, as that of the real file is. The file is written as a stream.
"""

from __future__ import annotations

import argparse
import gzip
import random
from collections.abc import Iterator
from pathlib import Path
from typing import IO

GIVEN = (
    "Ada Bo Chen Dora Emil Fatima Goro Hanna Ivo Jun Kofi Lena Mei Nils Olga Pavel Qi Rosa Sven "
    "Tala Uma Vera Wen Xia Yusuf Zoe"
).split()
FAMILY = (
    "Alm Berg Cho Dahl Eck Fuchs Garc&iacute;a Holm Ito Jansen Kaya Lind M&uuml;ller Novak Okafor "
    "Peng Quist Rossi S&oslash;rensen Tanaka Ueda Vogel Wu Xu Yang Zhou"
).split()
NEW, SAME, FIELD = 0.3, 0.75, 0.96  # chances: a new first author, earlier ones, one of the field


def papers(count: int, seed: int, fields: int) -> Iterator[list[int]]:
    """Yield the authors of one paper after the other, numbered in the order of their first one."""
    chance = random.Random(seed)
    field_of: list[int] = []
    members: list[list[int]] = [[] for _ in range(fields)]
    slots: list[list[int]] = [[] for _ in range(fields)]  # an author once for each paper
    earlier: dict[int, list[list[int]]] = {}

    def newcomer(field: int) -> int:
        field_of.append(field)
        members[field].append(len(field_of) - 1)
        return len(field_of) - 1

    for _ in range(count):
        field = min(int(chance.paretovariate(1.0)) - 1, 10 * fields) % fields
        is_new = not slots[field] or chance.random() < NEW
        first = newcomer(field) if is_new else chance.choice(slots[field])
        listed = {first: None}
        for _ in range(min(6, int(chance.expovariate(0.45)))):
            kind = chance.random()
            if kind < SAME and first in earlier:
                listed[chance.choice(chance.choice(earlier[first]))] = None
            elif kind < FIELD:
                known = slots[field] and chance.random() < 0.5
                listed[chance.choice(slots[field]) if known else newcomer(field)] = None
            else:
                listed[chance.randrange(len(field_of))] = None
        authors = list(listed)
        for author in authors:
            slots[field_of[author]].append(author)
            earlier.setdefault(author, []).append(authors)
            del earlier[author][:-5]
        yield authors


def name_of(author: int) -> str:
    """Return what an author is called, as dblp tells apart those of one name."""
    given, family = GIVEN[author % len(GIVEN)], FAMILY[author // len(GIVEN) % len(FAMILY)]
    again = author // (len(GIVEN) * len(FAMILY))
    return f"{given} {family}" + (f" {again:04}" if again else "")


def write(file: IO[bytes], count: int, seed: int, fields: int = 12) -> None:
    """Write a file of so many papers."""
    file.write(b'<?xml version="1.0" encoding="ISO-8859-1"?>\n')
    file.write(b'<!DOCTYPE dblp SYSTEM "dblp.dtd">\n<dblp>\n')
    for number, authors in enumerate(papers(count, seed, fields)):
        kind = "article" if number % 3 else "inproceedings"
        named = "".join(f"<author>{name_of(each)}</author>" for each in authors)
        text = f'<{kind} key="x/{number}">{named}<title>Paper {number}.</title></{kind}>\n'
        file.write(text.encode("ascii"))
    file.write(b"</dblp>\n")


def main() -> None:
    """Write the file that is asked for; one that ends in .gz is packed."""
    parser = argparse.ArgumentParser(description="A stand-in for dblp.xml.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--papers", type=int, default=300)
    parser.add_argument("--fields", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with options.out.open("wb") as plain:
        if options.out.suffix != ".gz":
            write(plain, options.papers, options.seed, options.fields)
            return
        with gzip.GzipFile("", "wb", 9, plain, mtime=0) as packed:
            write(packed, options.papers, options.seed, options.fields)


if __name__ == "__main__":
    main()
