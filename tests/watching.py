"""Services whose workers do what tests want to meet."""

from __future__ import annotations

import time


def watch(service):
    """Have a worker look from time to time, as after a job that its asker has run."""
    service.state.is_asked = True
    service.turns.wake()
    for _ in range(10_000):
        with service.turns.lock:
            if service.state.is_watched and service.turns.changed._waiters:
                return
        time.sleep(0.001)
    raise AssertionError("no worker looks")
