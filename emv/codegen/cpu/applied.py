"""A launch on cores with all its strategies."""

from __future__ import annotations

from emv.codegen.cpu import shares
from emv.codegen.cpu.claiming import CpuClaim
from emv.codegen.cpu.pull_blocks import fold_blocks
from emv.codegen.cpu.regions import CpuLaunch
from emv.codegen.pull import fold_rows, pull_phases
from emv.codegen.rows import Senders


class Applied(CpuLaunch):
    """A launch with the strategies that cores have."""

    fold_shares = shares.fold_phases
    sort_messages = shares.sort_phase

    def claim(self) -> None:
        CpuClaim(self).write()

    def pull_phases(self) -> None:
        fold = fold_rows if self.writer.copies.shift else fold_blocks
        pull_phases(self, Senders(self), fold)
