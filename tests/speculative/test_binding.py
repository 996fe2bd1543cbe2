"""How the native library's threads wait is settled before it is loaded."""

import os
import subprocess
import sys

import pytest

PROBE = "import lrc.speculative.binding, os; print(os.environ.get('GOMP_SPINCOUNT'), os.environ.get('OMP_WAIT_POLICY'))"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "4000 None"),
        ({"GOMP_SPINCOUNT": "7"}, "7 None"),
        ({"OMP_WAIT_POLICY": "active"}, "None active"),
    ],
)
def test_threads_spin_shortly_unless_the_user_says_otherwise(given: dict[str, str], expected: str) -> None:
    """Beside other work, long spins make a token many times slower; the user's own word goes first."""
    environ = {name: value for name, value in os.environ.items() if "OMP" not in name} | given
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True, env=environ)
    assert done.stdout.strip() == expected
