"""The processes that the tools run in."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOOLS = ("c", "cfast", "ours", "numba", "jax", "torch", "casadi")
PATIENCE = 60.0  # seconds for one answer


@dataclass(frozen=True)
class Settings:
    """Which tools run, by which interpreters, how often, on which core, and until when."""

    tools: list[str]
    pythons: dict[str, str]
    rounds: int
    core: int
    clock: str
    until: float


class Worker:
    """A tool in its process. Whatever goes wrong there is an `error` of a reply."""

    def __init__(self, tool: str, settings: Settings, **environment: str) -> None:
        python = settings.pythons.get(tool, sys.executable)
        program = Path(__file__).with_name("worker.py")
        self.log = tempfile.TemporaryFile("w+")  # noqa: SIM115  # lives as long as the worker
        self.process = subprocess.Popen(
            [python, str(program), tool, str(settings.core)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env={**os.environ, **environment},
        )
        self.greeting = self._reply()

    def ask(self, do: str, **message: Any) -> dict[str, Any]:
        """Send a message and return the reply."""
        if "error" in self.greeting:
            return {"error": self.greeting["error"]}
        with contextlib.suppress(BrokenPipeError):  # the reply says so
            print(json.dumps({"do": do, **message}), file=self.process.stdin, flush=True)
        return self._reply()

    def ended(self) -> bool:
        """Whether the process ended; one that never was ready stays as it is."""
        return "error" not in self.greeting and self.process.poll() is not None

    def _reply(self) -> dict[str, Any]:
        patience = threading.Timer(PATIENCE, self.process.kill)
        patience.start()
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        patience.cancel()
        if line:
            return json.loads(line)
        code = self.process.wait()
        if code == -signal.SIGKILL:
            return {"error": f"killed: no answer within {PATIENCE:g} s, or no memory"}
        self.log.seek(0)
        last = (self.log.read().strip().splitlines() or ["nothing said"])[-1]
        return {"error": f"the process ended with {code}: {last[:200]}"}

    def close(self) -> None:
        """End the process."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()  # type: ignore[union-attr]
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()
