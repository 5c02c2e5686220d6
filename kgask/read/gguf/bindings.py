"""llama.cpp's C interface, without the rest of the ``llama_cpp`` package, and without a word from it.

``import llama_cpp`` also imports jinja2, its chat formats and its server types;
only the ctypes module is needed here. Measured after numpy: 55 ms against 19 ms.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import re
import sys
import types
from collections import deque
from pathlib import Path
from typing import Any

from kgask.errors import ModelError, NativeError
from kgask.machine.remembered import content_hash

MOST_LOGGED = 500  # bytes of an error that are kept
BUILD_AGAIN = "pip install --force-reinstall --no-cache-dir --no-binary llama-cpp-python llama-cpp-python"
_LIBRARIES = ("llama", "ggml")  # what libllama loads; others in its folder (pictures and sound) are not used

_loaded: Any = None
_silence: Any = None  # llama.cpp keeps a bare pointer to it: it must outlive every call
_ERROR_LEVEL = 4  # GGML_LOG_LEVEL_ERROR
_errors: deque[str] = deque(maxlen=4)


def load_bindings() -> Any:
    """The module ``llama_cpp.llama_cpp``, initialised and silent.

    Raises NativeError when llama-cpp-python is not installed or its library does not load.
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
    """ ": reason" from what llama.cpp logged since the last call, or "" when it said nothing of use."""
    said = [line.strip() for line in _errors]
    _errors.clear()
    # "llama_model_load: error loading model: error loading model hyperparameters: key not found in model: ..."
    reasons = [re.sub(r"^\w+: (error loading model[a-z ]*: )*", "", line) for line in said if line]
    reason = " ".join("".join(char if char.isprintable() else " " for char in (reasons or [""])[0]).split())
    return f": {reason[:160]}" if reason else ""


def load_model(path: Path, gpu_layers: int = 0, extra_buffers: bool = False) -> Any:
    """A model from a GGUF file, as a pointer for the functions of :func:`load_bindings`; the only place that loads one.

    ``extra_buffers`` lets llama.cpp rearrange weights for the CPU's own instructions. It is off by default: compiled by
    gcc before 13.3, the products over AMX tiles that this brings in end the process (llama.cpp issue 20824). Raises
    ModelError with llama.cpp's reason.
    """
    llama = load_bindings()
    params = llama.llama_model_default_params()
    if not hasattr(type(params), "use_extra_bufts"):  # setting it would set nothing
        raise NativeError("this llama-cpp-python is too old for kgask; pip install --upgrade llama-cpp-python")
    params.n_gpu_layers = gpu_layers
    params.use_extra_bufts = extra_buffers
    model = llama.llama_model_load_from_file(os.fsencode(path), params)
    if not model:
        raise ModelError(f"{path}: llama.cpp cannot load this file{last_error()}")
    return model


def library_files() -> list[Path]:
    """The shared libraries of llama.cpp that are loaded here, each once; empty where llama-cpp-python is missing."""
    folder = _library_folder()
    files = sorted(folder.iterdir()) if folder is not None and folder.is_dir() else []
    named = [path for path in files if any(name in path.name.lower() for name in _LIBRARIES)]
    return list(dict.fromkeys(Path(os.path.realpath(path)) for path in named if path.is_file()))


def library_hash() -> str:
    """Which build of llama.cpp is installed, without loading it: a hash of its libraries.

    Raises NativeError where a library cannot be read.
    """
    try:
        return content_hash(*library_files())
    except OSError as error:
        raise NativeError(f"{error.filename}: cannot be read: {error.strerror or error}; {BUILD_AGAIN}") from None


def _library_folder() -> Path | None:
    chosen = os.environ.get("LLAMA_CPP_LIB_PATH")  # llama-cpp-python looks there first
    if chosen:
        return Path(chosen)
    spec = importlib.util.find_spec("llama_cpp")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return Path(folders[0]) / "lib" if folders else None


def _import_low_level() -> Any:
    if "llama_cpp" in sys.modules:
        return importlib.import_module("llama_cpp.llama_cpp")
    spec = importlib.util.find_spec("llama_cpp")
    if spec is None or not spec.submodule_search_locations:
        raise NativeError("llama-cpp-python is not installed; pip install llama-cpp-python, or use --no-reader")
    # A package of that name without its __init__, only while the ctypes module is being imported:
    # whoever imports llama_cpp later gets the whole package.
    package = types.ModuleType("llama_cpp")
    package.__path__ = list(spec.submodule_search_locations)
    sys.modules["llama_cpp"] = package
    try:
        return importlib.import_module("llama_cpp.llama_cpp")
    except (ImportError, OSError, RuntimeError, AttributeError) as error:  # AttributeError: it lacks a function
        reason = " ".join(str(error).split())[:200]
        raise NativeError(f"llama.cpp's library does not load ({reason}); {BUILD_AGAIN}") from None
    finally:
        with contextlib.suppress(KeyError):
            del sys.modules["llama_cpp"]
