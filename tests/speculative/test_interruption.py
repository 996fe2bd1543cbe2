"""Ctrl-C is noted first and handled afterwards, by whoever handled it before."""

import os
import signal
import threading

import pytest

from lrc.speculative.interruption import deferred_interrupt


def press() -> None:
    """Ctrl-C, from the keyboard's point of view."""
    os.kill(os.getpid(), signal.SIGINT)


def test_it_rises_on_leaving_and_not_before() -> None:
    """Code inside runs to its end; then KeyboardInterrupt."""
    reached: list[str] = []
    with pytest.raises(KeyboardInterrupt), deferred_interrupt(lambda: reached.append("noted")):
        press()
        reached.append("went on")
    assert reached == ["noted", "went on"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_it_replaces_the_error_of_the_stopped_work() -> None:
    """That the work failed because it was stopped interests nobody."""
    with pytest.raises(KeyboardInterrupt), deferred_interrupt(lambda: None):
        press()
        raise RuntimeError("stopped")


def test_without_an_interrupt_nothing_changes() -> None:
    """Errors pass, and the handler is back."""
    with pytest.raises(RuntimeError), deferred_interrupt(lambda: None):
        raise RuntimeError("other")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_program_gets_it() -> None:
    """Not every program wants KeyboardInterrupt."""
    caught: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
    try:
        with deferred_interrupt(lambda: None):
            press()
            assert caught == []
        assert caught == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_leave_the_handlers_alone() -> None:
    """Only the main thread may touch them."""
    seen: list[object] = []

    def work() -> None:
        with deferred_interrupt(lambda: None):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
