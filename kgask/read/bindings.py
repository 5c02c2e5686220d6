"""llama.cpp's C interface, without the rest of the ``llama_cpp`` package, and without a word from it.

``import llama_cpp`` also imports jinja2, its chat formats and its server types;
only the ctypes module is needed here. Measured after numpy: 55 ms against 19 ms.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
import types
from typing import Any

from kgask.errors import ModelError

_loaded: Any = None
_silence: Any = None  # llama.cpp keeps a bare pointer to it: it must outlive every call


def load_bindings() -> Any:
    """The module ``llama_cpp.llama_cpp``, initialised and silent.

    Raises ModelError when llama-cpp-python is not installed or its library does not load.
    """
    global _loaded, _silence
    if _loaded is None:
        module = _import_low_level()
        _silence = module.llama_log_callback(_ignore)
        module.llama_log_set(_silence, None)
        module.llama_backend_init()
        _loaded = module
    return _loaded


def _ignore(_level: int, _text: bytes, _data: Any) -> None:
    """A log line of llama.cpp: none is for the user."""


def _import_low_level() -> Any:
    if "llama_cpp" in sys.modules:
        return importlib.import_module("llama_cpp.llama_cpp")
    spec = importlib.util.find_spec("llama_cpp")
    if spec is None or not spec.submodule_search_locations:
        raise ModelError(
            "llama-cpp-python is not installed; 'pip install llama-cpp-python', or use --no-reader"
        )
    # A package of that name without its __init__, only while the ctypes module is being imported:
    # whoever imports llama_cpp later gets the whole package.
    package = types.ModuleType("llama_cpp")
    package.__path__ = list(spec.submodule_search_locations)
    sys.modules["llama_cpp"] = package
    try:
        return importlib.import_module("llama_cpp.llama_cpp")
    except (ImportError, OSError, RuntimeError, FileNotFoundError) as error:
        raise ModelError(f"llama.cpp's library does not load: {error}") from None
    finally:
        with contextlib.suppress(KeyError):
            del sys.modules["llama_cpp"]
