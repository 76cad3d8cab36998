"""Processes that run TextArena's games, so that a hanging step blocks only its own process.

One process imports TextArena. Each worker is forked from it and runs up to 16 games.
"""

import atexit
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass
from functools import cache
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from engine.games.textarena.library.environment import RawEnvironment, ShownText, TextEnding

MOST_GAMES = 16
# The maximum time for a step, in seconds.
LONGEST_STEP = 10.0
# Seconds between checks that the parent process still exists.
LOOK = 1.0
NUMBER = 8
START = "from engine.games.textarena.library.workers import fork_workers as f; f()"


class StuckStep(ValueError):  # noqa: N818 - a verdict on the game, not a caller's error
    """Raised when TextArena does not return from a step, or ends its process."""


class WorkerGone(Exception):  # noqa: N818 - not an error: the game restarts in another worker
    """Raised when the worker was terminated before the call, usually because of another game."""


@dataclass(frozen=True, slots=True)
class TextState:
    """A game's state: the player to move, whether the game is over, and the new messages."""

    current: int
    done: bool
    texts: tuple[ShownText, ...]


class Nursery:
    """The process that forks workers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket, inner = socket.socketpair()
        with inner:
            # The command runs only our own code.
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-c", START, str(inner.fileno())],
                pass_fds=[inner.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )

    def fork(self) -> tuple[int, Connection]:
        """Return a new worker's process id and the pipe to it."""
        pipe, inner = Pipe()
        with inner:
            return self._ask(0, [inner.fileno()]), pipe

    def kill(self, process_id: int) -> None:
        """Kill a worker."""
        self._ask(process_id, [])

    def close(self) -> None:
        """Kill the process; its workers end soon afterwards."""
        self._socket.close()
        self._process.kill()
        self._process.wait()

    def _ask(self, process_id: int, files: list[int]) -> int:
        with self._lock:
            socket.send_fds(self._socket, [process_id.to_bytes(NUMBER)], files)
            answer = self._socket.recv(NUMBER)
        if not answer:
            raise OSError("TextArena cannot be started: its process has ended")
        return int.from_bytes(answer)


@cache
def nursery() -> Nursery:
    """Return this program's nursery, started on first use."""
    started = Nursery()
    atexit.register(started.close)
    return started


def fork_workers() -> None:
    """Fork and kill workers until the program ends: the main loop of the nursery."""
    from engine.games.textarena.library import load_textarena

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    load_textarena()
    with socket.socket(fileno=int(sys.argv[1])) as program:
        while True:
            request, files, _, _ = socket.recv_fds(program, NUMBER, 1)
            if not request:
                return
            process_id = int.from_bytes(request)
            if process_id:
                os.kill(process_id, signal.SIGKILL)
                os.waitpid(process_id, 0)
            else:
                process_id = os.fork()
                if not process_id:
                    program.close()
                    answer_calls(Connection(files[0]))
                os.close(files[0])
            program.sendall(process_id.to_bytes(NUMBER))


def answer_calls(pipe: Connection) -> None:
    """Answer calls until the program ends: the main loop of a worker."""
    threading.Thread(target=end_after, args=(os.getppid(),), daemon=True).start()
    games: dict[int, RawEnvironment] = {}
    while True:
        try:
            dropped, verb, number, *values = pipe.recv()
        except (EOFError, OSError):
            os._exit(0)
        for session in dropped:
            games.pop(session, None)
        pipe.send(answer_call(games, verb, number, *values))


def end_after(parent: int) -> None:
    """End this process once its parent has ended, even in the middle of a step."""
    while os.getppid() == parent:
        time.sleep(LOOK)
    os._exit(1)


def answer_call(
    games: dict[int, RawEnvironment], verb: str, number: int, *values: Any
) -> TextState | TextEnding | ValueError | str:
    """Begin a game, play or judge a move, or close the game, depending on `verb`."""
    if verb == "begin":
        try:
            games[number] = RawEnvironment(*values)
        except ValueError as error:
            return error
    environment = games[number]
    if verb == "close":
        return environment.close()
    if verb == "judge":
        return environment.fault_of(*values)
    if verb == "step":
        environment.step(*values)
    texts = tuple(environment.drain())
    return TextState(environment.current, environment.done, texts)


class Worker:
    """A worker process; `games` contains the numbers of the games that it runs."""

    def __init__(self) -> None:
        self.process_id, self.pipe = nursery().fork()
        self.games: set[int] = set()
        self.is_gone = False
        # The garbage collector can call `leave` in any thread, so `leave` takes no lock.
        self._dropped: deque[int] = deque()
        self._lock = threading.Lock()

    def call(self, *request: Any) -> Any:
        """Send a request to the worker and return its answer; calls run one at a time.

        If the process exits or takes too long, the worker and all its games are terminated, and
        StuckStep is raised. Raises WorkerGone if the worker has already been terminated, and
        ValueError with TextArena's reason if a game cannot begin.
        """
        with self._lock:
            if self.is_gone:
                raise WorkerGone
            dropped = [self._dropped.popleft() for _ in range(len(self._dropped))]
            try:
                self.pipe.send((dropped, *request))
                answer = self.pipe.recv() if self.pipe.poll(LONGEST_STEP) else None
            except (EOFError, OSError, pickle.UnpicklingError):
                self.end()
                raise StuckStep("TextArena ends its process") from None
            if answer is None:
                self.end()
                raise StuckStep(f"TextArena needs more than {LONGEST_STEP:g} s for one step")
        if isinstance(answer, ValueError):
            raise answer
        return answer

    def end(self) -> None:
        """Kill the process."""
        self.is_gone = True
        nursery().kill(self.process_id)
        self.pipe.close()

    def leave(self, number: int) -> None:
        """Remove a game from the worker."""
        self._dropped.append(number)
        self.games.discard(number)


# This program's workers, which only `hire` changes.
WORKERS: list[Worker] = []
HIRING = threading.Lock()


def hire(number: int) -> Worker:
    """Assign a game to a worker that can take one more; end all idle workers but one."""
    with HIRING:
        idle = [worker for worker in WORKERS if not (worker.is_gone or worker.games)]
        for worker in idle[1:]:
            worker.end()
        WORKERS[:] = [worker for worker in WORKERS if not worker.is_gone]
        room = [worker for worker in WORKERS if len(worker.games) < MOST_GAMES]
        if not room:
            room = [Worker()]
            WORKERS.extend(room)
        room[0].games.add(number)
        return room[0]
