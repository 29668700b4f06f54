"""What a server counts, in the text form that Prometheus reads (exposition format 0.0.4)."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

from emv.service.alone import put_down
from emv.service.service import Service

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)  # seconds
TEXT = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Requests by route and status, and how long they took.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.note("/health", 200, 0.02)
    >>> print(metrics.text())  # doctest: +ELLIPSIS
    # HELP emv_requests_total Requests by route and status.
    # TYPE emv_requests_total counter
    emv_requests_total{route="/health",status="200"} 1
    ...
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.requests: Counter[tuple[str, int]] = Counter()
        self.buckets = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0

    def note(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        with self.lock:
            self.requests[route, status] += 1
            self.buckets[bisect_left(BOUNDS, seconds)] += 1
            self.seconds += seconds

    def text(self, service: Service | None = None) -> str:
        """Return all counts, with those of a service."""
        with self.lock:
            lines = [*self._requests()]
        return "\n".join([*lines, *(of_service(service) if service else ())]) + "\n"

    def _requests(self) -> Iterator[str]:
        yield from head("emv_requests_total", "counter", "Requests by route and status.")
        for (route, status), count in sorted(self.requests.items()):
            yield f'emv_requests_total{{route="{escaped(route)}",status="{status}"}} {count}'
        yield from head("emv_request_seconds", "histogram", "How long requests took.")
        below = 0
        for bound, count in zip((*BOUNDS, "+Inf"), self.buckets, strict=True):
            below += count
            yield f'emv_request_seconds_bucket{{le="{bound}"}} {below}'
        yield f"emv_request_seconds_sum {self.seconds!r}"
        yield f"emv_request_seconds_count {below}"


def of_service(service: Service) -> Iterator[str]:
    """Yield the lines of what jobs wait and run, of memory, and of what users have had."""
    with service.turns.lock:
        put_down(service.turns)
        state = service.state
        gauges = (
            ("emv_jobs_waiting", "Jobs that wait.", len(state.waiting.items)),
            ("emv_jobs_running", "Jobs that run.", len(state.running)),
            ("emv_memory_bytes", "Memory that jobs may take.", state.ledger.capacity),
            ("emv_memory_free_bytes", "Memory that is promised to nobody.", state.ledger.free),
        )
    for name, what, value in gauges:
        yield from head(name, "gauge", what)
        yield f"{name} {value}"
    report = sorted(service.report().items())
    for name, what, field in (
        ("emv_user_seconds_total", "Time of a user's ended jobs.", "seconds"),
        ("emv_user_waited_seconds_total", "Time that a user's jobs waited.", "waited"),
        ("emv_user_ended_total", "Jobs of a user that ended well.", "ended"),
        ("emv_user_failed_total", "Jobs of a user that did not.", "failed"),
    ):
        yield from head(name, "counter", what)
        for user, each in report:
            yield f'{name}{{user="{escaped(user)}"}} {getattr(each, field)!r}'


def head(name: str, kind: str, what: str) -> tuple[str, str]:
    """Return the two lines before the numbers of a metric."""
    return f"# HELP {name} {what}", f"# TYPE {name} {kind}"


def escaped(label: str) -> str:
    r"""Return the value of a label as it stands between quotes.

    Examples
    --------
    >>> print(escaped('a "b"'))
    a \"b\"
    """
    return label.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
