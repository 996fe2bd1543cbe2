"""The one place that imports the native binding, after telling its threads how to wait.

Between two steps of a graph, threads wait for each other: about a thousand times a token. GNU's OpenMP library lets
them spin for milliseconds, which is best on a machine that does nothing else. On a developer's machine something else
is always running; then the thread that is waited for has no processor, the others burn theirs, and a token takes ten
times as long or more (0.5B model, two cores beside other work: 1.0 s for a row at the default, 0.04 to 0.2 s so). The
users' own settings go first.
"""

import os
from typing import Any

from lrc.speculative.errors import DrafterUnavailable

_SPINS = "4000"

if not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & set(os.environ):
    # Read once, when the library is loaded.
    os.environ["GOMP_SPINCOUNT"] = _SPINS

import llama_cpp  # noqa: E402
from llama_cpp import llama_cpp as native  # noqa: E402
from llama_cpp.llama_speculative import LlamaPromptLookupDecoding  # noqa: E402

__all__ = ["LlamaPromptLookupDecoding", "extension", "llama_cpp", "native", "rearranging_crashes"]


def rearranging_crashes() -> bool:
    """Whether rearranged weights would end this process on the first batch: where the library uses AMX tiles.

    GCC up to 12 drops most of the tile configuration that `ldtilecfg` reads, which is then refused by the processor
    (llama.cpp issue 20824, pull request 26954). A build does not tell its compiler, so none with AMX is trusted.
    """
    return b"AMX_INT8 = 1" in native.llama_print_system_info()


def extension() -> Any:
    """The binding's module of calls that are not public yet; what lacks one of them cannot be imported.

    Raises `DrafterUnavailable` then.
    """
    try:
        from llama_cpp import llama_cpp_ext
    except (ImportError, AttributeError) as error:
        raise DrafterUnavailable(
            f"this build of the native library has no calls for heads that predict several tokens ({error})",
            "choose 'auto', or reinstall llama-cpp-python",
        ) from error
    return llama_cpp_ext
