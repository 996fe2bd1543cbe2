"""Ctrl-C while native code calls back into Python.

Python runs a signal handler between two steps of Python code, and the code of a callback is such a step: an exception
raised there cannot travel through native frames. So the interrupt is noted first and handled afterwards.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def deferred_interrupt(note: Callable[[], None]) -> Iterator[None]:
    """While inside, Ctrl-C calls `note`, which must not raise; the handler that was there gets it on leaving.

    In threads other than the main one, and where no Python handler is set, nothing changes.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    pressed = False

    def noted(_number: int, _frame: Any) -> None:
        nonlocal pressed
        pressed = True
        note()

    signal.signal(signal.SIGINT, noted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if pressed:
            # In `finally`: an interrupt replaces the error by which the native code said that it was stopped.
            handler(signal.SIGINT, None)
