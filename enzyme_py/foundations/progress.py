"""A line on the terminal for who waits: what is compiled, in which stage it is, and for how long.

    enzyme_py: grad of loss: Enzyme, 12 s

It comes after two seconds and goes when the work is done. Work of many steps says how far it is:

    enzyme_py: autotune of grad_of_loss: 2 of 6, without slopes; O3, 12 s

Loops of compiled code let no Python run: the C runtime draws for them (csrc/progress.h), as `counts_shown` says. Where standard error is no terminal nothing is said, or, under
`config(progress=True)`, a plain line for each stage. A thread of its own draws; it is started with the first work that
may be seen, and ends when there is none for a while.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence

from enzyme_py.foundations import stages
from enzyme_py.settings import settings

PATIENCE = 2.0  # seconds before anything is said
EVERY = 0.25
LINGERS = 5.0  # how long the thread stays when there is nothing to draw
_ERASE = "\r\033[K"
_WIDTH = 80


class Line:
    """The line, and the thread that draws it."""

    def __init__(self) -> None:
        self.forget()
        stages.when_begun.append(self.work_begins)
        stages.when_ended.append(self.work_ends)

    def forget(self) -> None:
        """Begin anew: in a process made by os.fork there is no thread."""
        self._lock = threading.RLock()
        self._is_wanted = threading.Event()
        self._thread: threading.Thread | None = None
        self._shown = ""
        self._hidden = 0
        self._last = "", -PATIENCE  # for good

    def work_begins(self) -> None:
        """Have somebody look after it, if anything may be said."""
        if not may_be_said():
            return
        with self._lock:
            self._is_wanted.set()
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._draw_on, name="enzyme_py progress", daemon=True)
                self._thread.start()

    def work_ends(self) -> None:
        """Take the line away with the last work; nothing is drawn behind it."""
        with self._lock:
            if not stages.running() and not stages.counts():
                self._is_wanted.clear()
                self._put("")

    @contextlib.contextmanager
    def hidden(self) -> Iterator[None]:
        """Within the block somebody else draws."""
        with self._lock:
            self._put("")
            self._hidden += 1
        try:
            yield
        finally:
            with self._lock:
                self._hidden -= 1

    @staticmethod
    def write(text: str) -> None:
        """Write as it is, to whoever may be there."""
        _write(text)

    def _draw_on(self) -> None:
        while True:
            is_wanted = self._is_wanted.wait(LINGERS)
            with self._lock:
                if is_wanted:
                    self._put(said(stages.running(), time.perf_counter(), stages.counts()))
                elif not self._is_wanted.is_set():
                    self._thread = None
                    return
            time.sleep(EVERY if is_wanted else 0.0)

    def _put(self, text: str) -> None:
        if self._hidden or text == self._shown or not (may_be_said() or self._shown):
            return
        if is_terminal():
            # The cursor stays in front: what others write comes over it, not behind it.
            _write(f"{_ERASE}{text[: _columns() - 1]}\r" if text else _ERASE)
        elif text:
            self._put_for_good(text)
        self._shown = text

    def _put_for_good(self, text: str) -> None:
        """Write a line into a file or a pipe, if it says something new."""
        now, text = time.perf_counter(), text.rpartition(",")[0]
        if text != self._last[0] and now - self._last[1] > PATIENCE:
            self._last = text, now
            _write(f"{text}\n")


def said(running: list[stages.Work], now: float, counts: Sequence[stages.Counted] = ()) -> str:
    """Return the line about the outermost counted work, or the oldest of other work, if that takes long."""
    if counts and now - counts[0].begun >= PATIENCE:
        return _said_of(counts[0], running, now)
    if not running or now - running[0].begun < PATIENCE:
        return ""
    first, others = running[0], len(running) - 1
    beside = f" (and {others} more)" if others else ""
    title = first.title or "compiling"
    return f"enzyme_py: {title}: {first.stage}{beside}, {now - first.begun:.0f} s"


def _said_of(work: stages.Counted, running: list[stages.Work], now: float) -> str:
    far = f"{work.done} of {work.total}" if work.total else f"{work.done}"
    inside = "; ".join(one for one in (work.step, running[0].stage if running else "") if one)
    return f"enzyme_py: {work.title}: {', '.join(one for one in (far, inside) if one)}, {now - work.begun:.0f} s"


def counts_shown() -> tuple[int, int, int]:
    """Return what enzyme_py_show_counts takes: how loops of compiled code are shown, and two times in milliseconds."""
    patience, every = round(1000 * PATIENCE), round(1000 * EVERY)
    if not may_be_said():
        return 0, patience, every
    return (1, patience, every) if is_terminal() else (2, patience, patience)


def may_be_said() -> bool:
    """Tell whether anything is shown at all: by the setting, else where a terminal shows it."""
    if settings.progress is not None:
        return settings.progress
    return is_terminal()


def is_terminal() -> bool:
    """Tell whether a line on standard error can be written over."""
    try:
        return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):  # somebody's own object, or a closed one
        return False


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):  # nobody is there to read it
        sys.stderr.write(text)
        sys.stderr.flush()


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _WIDTH
    except (OSError, ValueError, AttributeError):
        return _WIDTH


counted = stages.counted  # for programs around us: whoever imports it from here has it drawn
line = Line()
os.register_at_fork(after_in_child=line.forget)
