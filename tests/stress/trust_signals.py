"""Ctrl-C at random moments, and processes made while threads compile and run: part of `trust`.

A signal must be heard within a second, as a KeyboardInterrupt, and what runs next must be right. A
child must end, with the right result, however it was made.

What is interrupted takes from a tenth of a second to a few: many moments of one process, each in
one of the phase's tasks in turn, at a time drawn from as long as the task takes when it is left
alone. Behind each, a little of the same task must come out right. Compiling for the first time,
where the cache of kernels is empty, has a process for every moment.
"""

from __future__ import annotations

import collections
import itertools
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.stress import trust_processes
from tests.stress.trust_tasks import NUM_COLD, PHASES, Task, tasks_of

Counts = collections.Counter[str]

TIMERS: list[threading.Timer] = []
"""All of them: Python tells a set when a thread is forgotten, and ignores what is raised there."""

LATEST = 1.0  # seconds until a signal is heard
MOST = "ms at most"  # until a signal was heard
SMALL = 10  # signals of the form that takes seconds
PARTS = 10  # of a phase, between which its progress is told


def struck(do: Callable[[], Any], seconds: float) -> tuple[str, float]:
    """Do something and send Ctrl-C after so many seconds; return what came of it, and how late."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, send)
    TIMERS.append(timer)
    try:
        timer.start()
        do()
        timer.join()
        time.sleep(LATEST)
    except KeyboardInterrupt:
        took = time.perf_counter() - sent[0]
        return "LATE" if took > LATEST else "heard", took
    except Exception as error:
        return f"RAW {type(error).__name__}", 0.0
    return "LOST", 0.0


def usual_seconds(task: Task) -> float:
    """Return how long a task takes that has been done before; what never ends takes a second."""
    if task.is_endless:
        return 1.0
    begun = time.perf_counter()
    assert task.do(), task.name
    return time.perf_counter() - begun


class Progress:
    """Tells, beside the table, how far a phase is."""

    def __init__(self, phase: str, moments: int) -> None:
        self.phase, self.moments, self.begun = phase, moments, time.perf_counter()

    def tell(self, done: int, counts: Counts) -> None:
        """Say so after every tenth."""
        if done % max(1, self.moments // PARTS) and done != self.moments:
            return
        said = ", ".join(f"{number} {what}" for what, number in counts.items())
        seconds = time.perf_counter() - self.begun
        told = f"{self.phase}: {done} of {self.moments} in {seconds:.0f} s; {said}"
        print(told, file=sys.stderr, flush=True)


def hear() -> None:
    """Let Ctrl-C raise: a shell may have had it ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def interrupted(phase: str, signals: int, num_vertices: int, seed: int) -> Counts:
    """Interrupt the tasks of a phase at random moments."""
    chance, counts, latest = random.Random(f"{phase} {seed}"), Counts(), 0.0
    hear()
    with tempfile.TemporaryDirectory() as folder, tasks_of(phase, folder, num_vertices) as tasks:
        for task in tasks:
            assert task.is_endless or task.do(), f"{task.name} is wrong before any signal"
        usual = {task.name: usual_seconds(task) for task in tasks}
        progress = Progress(phase, signals)
        for number, task in zip(range(signals), itertools.cycle(tasks), strict=False):
            found, late = struck(task.do, chance.random() * usual[task.name])
            counts[found if found == "heard" else f"{found} in {task.name}"] += 1
            latest = max(latest, late)
            counts["right afterwards" if task.check() else f"WRONG after {task.name}"] += 1
            progress.tell(number + 1, counts)
    counts[MOST] = round(1000 * latest)
    return counts


def cold(signals: int, num_vertices: int, seed: int) -> Counts:
    """Interrupt processes whose caches of kernels are empty, each once.

    They are made by fork from this one, which has numba, but none of emv's kernels.
    """
    import numba.core.codegen  # noqa: F401 - children find it loaded

    chance, counts, progress = random.Random(f"cold {seed}"), Counts(), Progress("cold", signals)
    usual, latest = [in_child(lambda k=k: cold_seconds(k)) for k in range(NUM_COLD)], 0.0
    for number in range(signals):
        k = number % NUM_COLD
        moment = chance.random() * usual[k]["seconds"]
        found = in_child(lambda k=k, moment=moment: cold_moment(k, moment))
        latest = max(latest, found.pop("late", 0.0))
        counts.update(found)
        progress.tell(number + 1, counts)
    counts[MOST] = round(1000 * latest)
    return counts


def in_child(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what some work gives in a process of its own, whose cache of kernels is empty."""
    assert "emv_kernels.cache" not in sys.modules, "which has looked where kernels are kept"
    with tempfile.TemporaryDirectory() as folder:
        child = os.fork()
        if child == 0:
            os.environ["EMV_CACHE"] = str(Path(folder, "cache"))
            try:
                Path(folder, "found").write_text(json.dumps(work()))
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)  # what is still compiled, nobody waits for
        _, ended = os.waitpid(child, 0)
        return {f"ENDED {ended}": 1} if ended else json.loads(Path(folder, "found").read_text())


def cold_seconds(number: int) -> dict[str, Any]:
    """Return how long a task takes that compiles all that it needs."""
    with tempfile.TemporaryDirectory() as folder, tasks_of("cold", folder, 0) as tasks:
        return {"seconds": usual_seconds(tasks[number])}


def cold_moment(number: int, moment: float) -> dict[str, Any]:
    """Interrupt a task that compiles all that it needs, and do it to its end."""
    hear()
    with tempfile.TemporaryDirectory() as folder, tasks_of("cold", folder, 0) as tasks:
        task = tasks[number]
        found, late = struck(task.do, moment)
        right = "right afterwards" if task.do() else f"WRONG after {task.name}"
    return {found if found == "heard" else f"{found} in {task.name}": 1, right: 1, "late": late}


def faults(counts: dict[str, int]) -> dict[str, int]:
    """Return the counts of what should not be."""
    return {what: number for what, number in counts.items() if what.split()[0].isupper()}


def work(job: dict[str, Any]) -> dict[str, int]:
    """Do a job."""
    if job["what"] == "made by":
        return dict(trust_processes.made(job["name"], job["times"]))
    size = job["signals"], job["num_vertices"], job["seed"]
    return dict(cold(*size) if job["name"] == "cold" else interrupted(job["name"], *size))


def jobs(signals: int, num_vertices: int, seed: int, **_: Any) -> list[dict[str, Any]]:
    """Return what there is to do; the small form has no empty caches, and forks only."""
    is_whole = signals > SMALL
    size = {"num_vertices": 25 * num_vertices, "signals": signals, "seed": seed}
    found = [
        {"what": "signals", "name": each, **size} for each in PHASES if is_whole or each != "cold"
    ]
    ways = trust_processes.WAYS if is_whole else ["fork"]
    return found + [{"what": "made by", "name": how, "times": signals} for how in ways]
