"""Ctrl-C at random moments, and processes made while threads compile and run: part of `trust`.

A signal must be heard within a second, as a KeyboardInterrupt, and what runs next must be right. A
child must end, with the right result, however it was made.

What is interrupted takes from a tenth of a second to a few: many moments of one process, each in
one of the phase's tasks in turn, at a time drawn from as long as the task takes when it is left
alone. Behind each, a little of the same task must come out right. Compiling for the first time,
where the cache of kernels is empty, has a process for every few moments.
"""

from __future__ import annotations

import collections
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

from bench import trust_processes
from bench.trust_tasks import PHASES, Task, tasks_of

Counts = collections.Counter[str]

TIMERS: list[threading.Timer] = []
"""All of them: Python tells a set when a thread is forgotten, and ignores what is raised there."""

LATEST = 1.0  # seconds until a signal is heard
MOMENTS_OF_A_COLD = 10  # in one process whose cache of kernels was empty
COLD_SECONDS = 6.0  # in which they fall
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
    """Interrupt processes whose caches of kernels are empty."""
    counts, progress, done = Counts(), Progress("cold", signals), 0
    while done < signals:
        moments = min(MOMENTS_OF_A_COLD, signals - done)
        told = ["signals", {"what": "cold", "moments": moments, "seed": f"{seed} {done}"}]
        with tempfile.TemporaryDirectory() as cache:
            command = [sys.executable, "-m", "bench.trust", "--work", json.dumps(told)]
            environment = {**os.environ, "EMV_CACHE": cache}
            ended = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
        found = {f"ENDED {ended.returncode}": 1} if ended.returncode else json.loads(ended.stdout)
        latest = max(counts[MOST], found.pop(MOST, 0))
        counts.update(found)
        counts[MOST] = latest
        done += moments
        progress.tell(done, counts)
    return counts


def cold_process(moments: int, seed: str) -> Counts:
    """Interrupt what compiles everything that it needs, and do it to its end."""
    chance, counts, latest = random.Random(seed), Counts(), 0.0
    hear()
    with tempfile.TemporaryDirectory() as folder, tasks_of("cold", folder, 0) as tasks:
        for number in range(moments):
            task = tasks[number % len(tasks)]
            found, late = struck(task.do, chance.random() * COLD_SECONDS)
            counts[found if found == "heard" else f"{found} in {task.name}"] += 1
            latest = max(latest, late)
        for task in tasks:
            counts["right afterwards" if task.do() else f"WRONG after {task.name}"] += 1
    counts[MOST] = round(1000 * latest)
    return counts


def faults(counts: dict[str, int]) -> dict[str, int]:
    """Return the counts of what should not be."""
    return {what: number for what, number in counts.items() if what.split()[0].isupper()}


def work(job: dict[str, Any]) -> dict[str, int]:
    """Do a job."""
    if job["what"] == "made by":
        return dict(trust_processes.made(job["name"], job["times"]))
    if job["what"] == "cold":
        return dict(cold_process(job["moments"], job["seed"]))
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
    return found + [{"what": "made by", "name": how, "times": signals // 4} for how in ways]
