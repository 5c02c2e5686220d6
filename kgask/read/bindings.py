"""llama.cpp's C interface, without the rest of the ``llama_cpp`` package, and without a word from it.

``import llama_cpp`` also imports jinja2, its chat formats and its server types;
only the ctypes module is needed here. Measured after numpy: 55 ms against 19 ms.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import re
import sys
import types
from collections import deque
from pathlib import Path
from typing import Any

from kgask.errors import ModelError

MOST_LOGGED = 500  # bytes of an error that are kept

_loaded: Any = None
_silence: Any = None  # llama.cpp keeps a bare pointer to it: it must outlive every call
_ERROR_LEVEL = 4  # GGML_LOG_LEVEL_ERROR
_errors: deque[str] = deque(maxlen=4)


def load_bindings() -> Any:
    """The module ``llama_cpp.llama_cpp``, initialised and silent.

    Raises ModelError when llama-cpp-python is not installed or its library does not load.
    """
    global _loaded, _silence
    if _loaded is None:
        module = _import_low_level()
        _silence = module.llama_log_callback(_keep_errors)
        module.llama_log_set(_silence, None)
        module.llama_backend_init()
        _loaded = module
    return _loaded


def _keep_errors(level: int, text: bytes, _data: Any) -> None:
    """A log line of llama.cpp: none is for the user, but an error may explain what fails next."""
    if level == _ERROR_LEVEL:
        _errors.append(text[:MOST_LOGGED].decode("utf-8", errors="replace"))


def last_error() -> str:
    """": reason" from what llama.cpp logged since the last call, or "" when it said nothing of use."""
    said = [line.strip() for line in _errors]
    _errors.clear()
    # "llama_model_load: error loading model: error loading model hyperparameters: key not found in model: ..."
    reasons = [re.sub(r"^\w+: (error loading model[a-z ]*: )*", "", line) for line in said if line]
    reason = " ".join("".join(char if char.isprintable() else " " for char in (reasons or [""])[0]).split())
    return f": {reason[:160]}" if reason else ""


def library_stamp() -> str:
    """Which build of llama.cpp is installed, without loading it: sizes and times of its libraries."""
    spec = importlib.util.find_spec("llama_cpp")
    folders = (spec.submodule_search_locations if spec else None) or []
    files = sorted(path for folder in folders for path in Path(folder).glob("lib/*") if path.is_file())
    return " ".join(f"{path.name}:{(found := path.stat()).st_size}:{found.st_mtime_ns}" for path in files)


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
