"""Records as type checkers see them: what the language adds to a user's record classes.

The classes themselves (`emv.lang.records`) get ``src``, ``send`` and the rest from whoever runs a
function, so a type checker reads this instead.
"""

from collections.abc import Iterator
from typing import Any, Generic, Self

from typing_extensions import TypeVar

class _Element:
    id: int
    def __init__(self, *values: Any, **named: Any) -> None: ...
    @classmethod
    def at(cls, index: Any) -> Self: ...
    def activate(self) -> None: ...
    def send_to(self, vertex: Any, message: Any) -> None: ...
    def send(self, message: Any) -> None: ...

class Mask:
    def __bool__(self) -> bool: ...
    def set(self) -> None: ...
    def unset(self) -> None: ...

class Vertex(_Element):
    out_degree: int
    in_degree: int
    def out_dst(self, k: Any) -> int: ...
    def out_edge(self, k: Any) -> int: ...

_Vertex = TypeVar("_Vertex", bound=Vertex, default=Any)

class Edge(_Element, Generic[_Vertex]):
    src: _Vertex
    dst: _Vertex

_Item = TypeVar("_Item", default=Any)

class Message(Generic[_Item]):
    value: _Item
    def __init__(self, *values: Any, **named: Any) -> None: ...

class EdgeList(Generic[_Item]):
    def __iter__(self) -> Iterator[_Item]: ...
    def __len__(self) -> int: ...

class MessageList(EdgeList[_Item]): ...
