"""All kinds of things that are fuzzed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from files import Files
from inputs import Inputs
from packs import Demo, Older, Packs
from sources import Sources
from trained import Models
from world import World

WORLDS: dict[str, Callable[[Path], World]] = {
    "packs": Packs,
    "demo": Demo,
    "older": Older,
    "planners": lambda folder: Models(folder, "rigel", "--model"),
    "judges": lambda folder: Models(folder, "judge", "--judge"),
    "encoders": lambda folder: Models(folder, "encoder", "--encoder"),
    "readers": lambda folder: Models(folder, "reader", "--reader"),
    "sources": Sources,
    "inputs": Inputs,
    "files": Files,
}
