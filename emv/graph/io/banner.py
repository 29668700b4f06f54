"""The banner of Matrix Market: the first line, which says what the numbers below mean.

``%%MatrixMarket matrix coordinate real symmetric``: whoever overlooks the last word loses half of
the arcs. So a comment that is nearly a banner is an error and no comment, in matrices and in lists
of edges: the name misspelt, other marks before it, or the words without the name; and a banner that
does not stand first.
"""

from __future__ import annotations

import difflib
import re

import numpy as np

from emv.errors import GraphFormatError
from emv.graph.io.text import Line, shown

_START = b"%%matrixmarket"
_START_OF_FILE = re.compile(rb"(?:\xef\xbb\xbf)?\s*%%matrixmarket", re.IGNORECASE)
_MARKS = re.compile(r"[#%/\s]*")

FIELDS: dict[str, np.dtype[np.int64] | np.dtype[np.uint64] | np.dtype[np.float64] | None] = {
    "pattern": None,
    "integer": np.dtype(np.int64),
    "unsigned-integer": np.dtype(np.uint64),
    "real": np.dtype(np.float64),
    "double": np.dtype(np.float64),
}
"""The words for the kind of the values, and their type; None where there are none."""

WORDS = (
    ("object", ("matrix",)),
    ("layout", ("coordinate", "array")),
    ("field", tuple(FIELDS)),
    ("symmetry", ("general", "symmetric", "skew-symmetric")),
)
"""The words of a banner in their order."""

_SIMILAR = 0.8  # of letters in common, as difflib counts them
_NAME = "matrixmarket"
_FEW = 8  # words of a comment that are looked at


def begins_with_banner(head: bytes) -> bool:
    """Return whether the first bytes of a file are the beginning of a banner."""
    return _START_OF_FILE.match(head) is not None


def banner_of(comments: list[Line], file: str) -> list[str] | None:
    """Return object, layout, field and symmetry; None where no comment is a banner.

    Raises
    ------
    GraphFormatError
        If a banner has other words, does not stand first, or a comment is nearly one.

    Examples
    --------
    >>> banner_of([Line(1, b"%%MatrixMarket matrix coordinate real general")], "a.mtx")
    ['matrix', 'coordinate', 'real', 'general']
    """
    first = None
    if comments and comments[0].text.lower().startswith(_START):
        first = _words(comments[0], file)
    for comment in comments[first is not None :]:
        if is_nearly_banner(comment.text):
            is_second = "a second banner" if first else "nearly a banner"
            raise GraphFormatError(
                f"{shown(comment.text)} is {is_second}",
                file,
                comment.number,
                "write it as '%%MatrixMarket matrix coordinate real general' into the first line, "
                "or take it out",
            )
    return first


def is_nearly_banner(text: bytes) -> bool:
    """Return whether a comment can only be meant as a banner, or is one.

    Examples
    --------
    >>> is_nearly_banner(b"% %MatrixMarkt matrix coordinate real symmetric")
    True
    >>> is_nearly_banner(b"% the Matrix Market format is not used here")
    False
    """
    bare = _MARKS.sub("", text.decode("ascii", "replace").lower(), count=1)
    words = re.split(r"[\s,;:]+", bare)[:_FEW]
    for begin in range(3):
        name = re.sub(r"[^a-z]", "", "".join(words[:begin]))
        is_named = difflib.SequenceMatcher(None, name, _NAME).ratio() >= _SIMILAR
        fitting = sum(
            bool(difflib.get_close_matches(word, known, 1, _SIMILAR))
            for word, (_, known) in zip(words[begin:], WORDS, strict=False)
        )
        if fitting >= (2 if is_named else 3):
            return True
    return False


def _words(banner: Line, file: str) -> list[str]:
    """Return object, layout, field and symmetry of a line that begins as a banner."""
    line = banner.number
    words = banner.text.decode("ascii", "backslashreplace").lower().split()[1:]
    if len(words) != len(WORDS):
        names = " ".join(name for name, _ in WORDS)
        raise GraphFormatError(
            f"the banner {shown(banner.text)} has {len(words)} words",
            file,
            line,
            f"expected %%MatrixMarket {names}",
        )
    if words[2] == "complex" or words[3] == "hermitian":
        raise GraphFormatError(
            "complex and hermitian matrices are not graphs",
            file,
            line,
            "store the real parts or the magnitudes",
        )
    for word, (name, known) in zip(words, WORDS, strict=True):
        if word not in known:
            raise GraphFormatError(
                f"the {name} is {shown(word.encode())}",
                file,
                line,
                f"expected {' or '.join(known)}",
            )
    if words[2] == "pattern" and (words[1] == "array" or words[3] == "skew-symmetric"):
        raise GraphFormatError(
            f"a pattern cannot be {words[1]} {words[3]}", file, line, "expected integer or real"
        )
    return words
