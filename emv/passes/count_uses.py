"""Who uses what, over the whole program: which messages, folds and values must exist as arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from emv.ir import program as p


@dataclass
class Uses:
    """What `count_uses` found; the keys are the numbers of calls and folds."""

    calls: set[int]
    folds: dict[int, list[p.Combine]] = field(default_factory=dict)
    aggregates: dict[int, list[p.Aggregate]] = field(default_factory=dict)
    values: dict[int, int] = field(default_factory=dict)  # consumers of a fold or returned value
    kept: set[int] = field(default_factory=set)  # calls whose returned values must exist as arrays
    stored: set[int] = field(default_factory=set)  # calls whose messages are wanted one by one
    receivers: dict[int, int] = field(default_factory=dict)  # domains that are a call's receivers
    attached: list[p.Aggregate] = field(default_factory=list)  # folded while the values are made

    def node(self, node: p.Node) -> None:
        """Note what one node uses."""
        if isinstance(node, p.Combine) and isinstance(node.source, p.Ref):
            self.folds.setdefault(node.source.id, []).append(node)
        elif isinstance(node, p.Aggregate) and isinstance(node.source, p.Ref):
            self.aggregate(node, node.source)
        elif isinstance(node, p.Fill):
            self.value(node.value)
        elif isinstance(node, p.Apply):
            self.call(node)

    def aggregate(self, node: p.Aggregate, source: p.Ref) -> None:
        """Note an aggregator over values."""
        if source.id in self.calls:
            self.aggregates.setdefault(source.id, []).append(node)
            self.attached.append(node)
        else:
            self.value(source)

    def call(self, node: p.Apply) -> None:
        """Note what a call uses."""
        names = {each.name for each in node.function.parameters}
        source = node.domain.source
        if node.domain.kind == "receivers" and source is not None:
            self.receivers[source] = self.receivers.get(source, 0) + 1
        if node.domain.kind == "messages" and source is not None:
            self.stored.add(source)
        for name, value in node.args:
            if name in names:
                self.value(value)
            elif isinstance(value, p.Ref):
                self.stored.add(value.id)

    def value(self, value: Any) -> None:
        """Note one use of a value per vertex, or of those in a tuple or dict of results."""
        for each in p.results_in(value):
            if isinstance(each, p.Ref):
                self.values[each.id] = self.values.get(each.id, 0) + 1
                self.kept |= {each.id} & self.calls


def count_uses(program: p.Program) -> Uses:
    """Return who uses what."""
    nodes = p.nodes_in(program.body)
    uses = Uses({node.id for node in nodes if isinstance(node, p.Apply)})
    for node in nodes:
        uses.node(node)
    uses.value(program.results)
    return uses
