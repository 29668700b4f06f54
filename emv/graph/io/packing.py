"""Bytes out of a file, unpacked on the way, and into one, packed as its name says.

gzip is unpacked by zlib; zstd by the standard library from Python 3.14 on, and before it by the
package ``zstandard`` (the extra ``zstd``). What is packed is known by its first bytes and not by
its name. A reader holds one block at a time, and what unpacks to more than a packed graph ever
does is refused before it is read.
"""

from __future__ import annotations

import contextlib
import gzip
import itertools
import math
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any, Protocol, cast

from emv.errors import GraphFormatError
from emv.graph.io.drafts import replacing
from emv.graph.io.readable import Readable
from emv.imports import optional

HEAD_BYTES = 1 << 16
# Deflate packs at most 1032 to 1; lists of edges come to about 5 to 1, very regular ones to 60.
LARGEST_EXPANSION = 200
EXPANSION_FLOOR_BYTES = 16 << 20  # below it nothing is asked

_PACKED_BYTES = 1 << 18  # read at a time
_LOOK_BYTES = 1 << 12  # looked at for the last line end of a block
_GZIP_PIECE_BYTES = 1 << 14  # what follows the end of a stream is copied
_ZSTD_PIECE_BYTES = 1 << 9  # zstd gives all that its input holds: 32 KiB a byte at worst
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_OTHER_PACKERS = {b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip"}


def read_blocks(source: Readable, block_bytes: int = 1 << 20, last: bytes = b"") -> Iterator[bytes]:
    """Yield the bytes of a file, unpacked if they are gzip or zstd, about a block at a time.

    Parameters
    ----------
    block_bytes : int
        How long blocks are, at most.
    last : bytes, optional
        What blocks of a file that is not packed end with, all but its first and its last one,
        where there is such a thing nearby: a line end saves whoever wants lines a copy.

    Raises
    ------
    GraphFormatError
        If the file cannot be opened, is packed in another way, is damaged, or expands beyond
        reason.
    """
    try:
        with source.open() as file:
            first = file.read(_PACKED_BYTES)
            if packer := _other_packer(first):
                raise GraphFormatError(
                    f"is packed with {packer}",
                    source.file,
                    remedy="unpack it, or use gzip or zstd",
                )
            yield from _blocks(first, file, source.path, block_bytes, last)
    except OSError as error:
        raise unreadable(error, source.path) from None


def read_head(source: Readable) -> bytes:
    """Return the first `HEAD_BYTES` or fewer of a file, unpacked if they are gzip or zstd.

    Raises
    ------
    GraphFormatError
        If the file cannot be opened, or is damaged where it begins.
    """
    head = b""
    try:
        with source.open() as file:
            first = file.read(_PACKED_BYTES)
            if _other_packer(first):
                return first[:HEAD_BYTES]
            for block in _blocks(first, file, source.path, HEAD_BYTES):
                head += block
                if len(head) >= HEAD_BYTES:
                    break
    except OSError as error:
        raise unreadable(error, source.path) from None
    return head[:HEAD_BYTES]


def is_packed(source: Readable) -> bool:
    """Return whether a file is packed with gzip or zstd; False where it cannot be opened."""
    try:
        with source.open() as file:
            return file.read(4).startswith((_GZIP_MAGIC, _ZSTD_MAGIC))
    except OSError:
        return False


def plain_bytes(source: Readable) -> float:
    """Return the bytes of a file; ``inf`` where nobody knows how many they are unpacked."""
    try:
        return math.inf if is_packed(source) else source.num_bytes
    except OSError:
        return math.inf


def unreadable(error: OSError, path: Path) -> GraphFormatError:
    """Return what to say of a file that the system does not let be read."""
    return GraphFormatError(f"cannot be read: {error.strerror or error}", os.fspath(path))


def _other_packer(first: bytes) -> str | None:
    return next(
        (packer for magic, packer in _OTHER_PACKERS.items() if first.startswith(magic)), None
    )


def _blocks(
    first: bytes, file: IO[bytes], path: Path, block_bytes: int, last: bytes = b""
) -> Iterator[bytes]:
    """Yield the bytes of a file that begins with `first`, unpacked."""
    packed = itertools.chain([first], iter(lambda: file.read(_PACKED_BYTES), b""))
    if first.startswith(_GZIP_MAGIC):
        yield from _Unpacker("gzip", path).unpacked(_pieces(packed, _GZIP_PIECE_BYTES), block_bytes)
    elif first.startswith(_ZSTD_MAGIC):
        yield from _Unpacker("zstd", path).unpacked(_pieces(packed, _ZSTD_PIECE_BYTES), block_bytes)
    else:
        yield from _pieces(iter([first]), block_bytes)
        yield from iter(lambda: file.read(_bytes_to(last, file, block_bytes)), b"")


def _bytes_to(last: bytes, file: IO[bytes], block_bytes: int) -> int:
    """Return how long the next block is to be, so that it ends with certain bytes if it can."""
    if not last or block_bytes < 2 * _LOOK_BYTES:
        return block_bytes
    begin = file.tell()
    file.seek(begin + block_bytes - _LOOK_BYTES)
    end = file.read(_LOOK_BYTES).rfind(last)
    file.seek(begin)
    return block_bytes if end < 0 else block_bytes - _LOOK_BYTES + end + len(last)


def _pieces(blocks: Iterator[bytes], piece_bytes: int) -> Iterator[bytes]:
    for block in blocks:
        for begin in range(0, len(block), piece_bytes):
            yield block[begin : begin + piece_bytes]


class _Stream(Protocol):
    """One of the packed streams that may follow each other in a file."""

    is_over: bool

    def unpack(self, packed: bytes, most: int) -> tuple[bytes, bytes]:
        """Return what some bytes hold, and those of them that are still to be unpacked."""


class _GzipStream:
    """A member of a gzip file."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)
        self.is_over = False

    def unpack(self, packed: bytes, most: int) -> tuple[bytes, bytes]:
        """Return what some bytes hold, at most `most`, and those that are still to be unpacked."""
        block = self._inner.decompress(packed, most)
        self.is_over = self._inner.eof
        return block, self._inner.unused_data if self.is_over else self._inner.unconsumed_tail


class _ZstdStream:
    """A frame of a zstd file.

    Parameters
    ----------
    new : callable
        Returns what unpacks a frame.
    """

    def __init__(self, new: Callable[[], Any]) -> None:
        self._inner = new()
        self.is_over = False

    def unpack(self, packed: bytes, most: int) -> tuple[bytes, bytes]:
        """Return what some bytes hold, and those that are still to be unpacked."""
        block = self._inner.decompress(packed)
        self.is_over = self._inner.eof
        return block, self._inner.unused_data if self.is_over else b""


def _zstd(path: Path) -> Any:
    """Return the module that packs and unpacks zstd."""
    for name in ("compression.zstd", "zstandard"):
        try:
            return optional(name)
        except ImportError:
            continue
    raise GraphFormatError(
        "zstd needs the package zstandard",
        os.fspath(path),
        remedy="pip install 'emv-graph[zstd]', or unpack it yourself",
    )


class _Unpacker:
    """What unpacks a file: one stream after another, and no bomb.

    Parameters
    ----------
    packer : {"gzip", "zstd"}
        How the file is packed.
    path : Path
        The file, for errors.
    """

    def __init__(self, packer: str, path: Path) -> None:
        self._packer = packer
        self._path = path
        self._new_stream: Callable[[], _Stream] = _GzipStream
        self._error: type[Exception] = zlib.error
        if packer == "zstd":
            zstd = _zstd(path)
            # the package's has room of its own, made once, and the standard library's is of a frame
            new = getattr(zstd.ZstdDecompressor(), "decompressobj", zstd.ZstdDecompressor)
            self._new_stream, self._error = lambda: _ZstdStream(new), zstd.ZstdError

    def unpacked(self, packed: Iterator[bytes], block_bytes: int) -> Iterator[bytes]:
        """Yield what the streams hold, so many bytes at a time."""
        ready: list[bytes] = []
        num_ready = 0
        for block in self._unpacked(packed, block_bytes):
            ready.append(block)
            num_ready += len(block)
            if num_ready >= block_bytes:
                yield from _pieces(iter([b"".join(ready)]), block_bytes)
                ready, num_ready = [], 0
        if ready:
            yield b"".join(ready)

    def _unpacked(self, packed: Iterator[bytes], most_bytes: int) -> Iterator[bytes]:
        """Yield what the streams hold, as much as they give at a time."""
        packed_bytes = unpacked_bytes = 0
        stream = self._new_stream()
        unfed = b""
        while True:
            unfed = unfed or next(packed, b"")
            try:
                block, left = stream.unpack(unfed, most_bytes)
            except self._error as error:
                raise self._damaged(f"damaged after {unpacked_bytes} bytes ({error})") from None
            if not (unfed or block or stream.is_over):
                raise self._damaged(f"cut off after {unpacked_bytes} bytes")
            packed_bytes += len(unfed) - len(left)
            unpacked_bytes += len(block)
            self._refuse_bomb(packed_bytes, unpacked_bytes)
            if block:
                yield block
            unfed = left
            if stream.is_over:
                unfed = _next_stream(left, packed)
                if not unfed:
                    return
                stream = self._new_stream()

    def _damaged(self, what: str) -> GraphFormatError:
        return GraphFormatError(
            f"its {self._packer} data are {what}",
            os.fspath(self._path),
            remedy="fetch the file again",
        )

    def _refuse_bomb(self, packed_bytes: int, unpacked_bytes: int) -> None:
        if unpacked_bytes > max(EXPANSION_FLOOR_BYTES, LARGEST_EXPANSION * packed_bytes):
            raise GraphFormatError(
                f"{packed_bytes} bytes of {self._packer} unpack to more than {unpacked_bytes}",
                os.fspath(self._path),
                remedy=f"unpack it yourself if it is no {self._packer} bomb",
            )


def _next_stream(left: bytes, packed: Iterator[bytes]) -> bytes:
    """Return the bytes from the next stream on, without the zeros before it."""
    left = left.lstrip(b"\0")
    while not left and (block := next(packed, b"")):
        left = block.lstrip(b"\0")
    return left


@contextlib.contextmanager
def open_packed(path: Path) -> Iterator[IO[bytes]]:
    """Give a file to write, packed if its name ends in ``.gz`` or ``.zst``; see `replacing`.

    Raises
    ------
    GraphFormatError
        If it ends in ``.zst`` and there is nothing that packs it.
    OSError
        If it cannot be written.
    """
    with replacing(path) as file, packed_into(file, path) as packed:
        yield packed


def packed_into(file: IO[bytes], path: Path) -> AbstractContextManager[IO[bytes]]:
    """Give what packs into an open file as the end of a name says."""
    name = path.name.lower()
    if name.endswith(".gz"):
        packer = gzip.GzipFile(path.name, "wb", compresslevel=6, fileobj=file, mtime=0)
        return cast(AbstractContextManager[IO[bytes]], packer)
    if name.endswith(".zst"):
        opened: AbstractContextManager[IO[bytes]] = _zstd(path).open(file, "wb")
        return opened
    return contextlib.nullcontext(file)
