"""Chromium without a window, asked through a pipe: `--remote-debugging-pipe`, messages of JSON that a zero byte ends."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# The browser reads descriptor 3 and writes descriptor 4.
START = """
import fcntl, os, sys
high = [fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3]]
for place, one in enumerate(high, 3):
    os.dup2(one, place)
os.execv(sys.argv[3], sys.argv[3:])
"""
LIMIT = 60.0  # seconds for one answer: the machine may be busy


class Page:
    """One page that is open."""

    def __init__(self, asks: int, answers: int) -> None:
        self._asks, self._answers, self._buffer, self._last = asks, answers, b"", 0
        self._session: str | None = None

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._asks, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + LIMIT
        while True:
            answer = self._next(end)
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            read = os.read(self._answers, 1 << 20)
            assert read, "the browser has ended"
            self._buffer += read
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def open(self, path: Path, width: int, height: int) -> None:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Page.navigate", url=path.as_uri())
        end = time.monotonic() + LIMIT
        while self.value("document.readyState + location.protocol") != "completefile:":
            assert time.monotonic() < end, "the page does not load"
            time.sleep(0.05)

    def value(self, expression: str) -> Any:
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def hover(self, selector: str) -> None:
        """Move the mouse to the middle of what a selector finds first, which is scrolled into view."""
        where = f"document.querySelector({json.dumps(selector)})"
        self.value(f"{where}.scrollIntoView({{block: 'center'}})")
        box = f"(b => [b.left + Math.min(b.width, 200) / 2, b.top + b.height / 2])({where}.getBoundingClientRect())"
        x, y = self.value(box)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def picture(self, path: Path) -> None:
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))


@contextlib.contextmanager
def opened(path: Path, folder: Path, width: int = 1280, height: int = 900) -> Iterator[Page]:
    """Open a page; the test is skipped where there is no Chromium."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("no Chromium on this machine")
    asked, asks = os.pipe()
    answers, answered = os.pipe()
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe"]
    options += [f"--user-data-dir={folder}", "--no-first-run", "--disable-background-networking", "--disable-extensions"]
    process = subprocess.Popen(
        [sys.executable, "-c", START, str(asked), str(answered), program, *options, "about:blank"],
        pass_fds=(asked, answered),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(asked)
    os.close(answered)
    page = Page(asks, answers)
    try:
        page.open(path, width, height)
        yield page
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
        os.close(asks)
        os.close(answers)
