"""How many cores are used: real affinity masks, and cgroup trees of every kind below a root of our own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kgask.machine.cores import affine_cores, cpu_quota, usable_cores

V1, NESTED = "sys/fs/cgroup/cpu,cpuacct", "pod7/box"


def tree(root: Path, cgroup: str | None, files: dict[str, str]) -> Path:
    """A root folder with /proc/self/cgroup (unless None) and these files, by path."""
    if cgroup is not None:
        (root / "proc/self").mkdir(parents=True)
        (root / "proc/self/cgroup").write_text(cgroup)
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


def v2(**limits: str) -> dict[str, str]:
    """The files cpu.max of these cgroups."""
    places = {"root": "", "pod7": "pod7/", "pod7_box": "pod7/box/", "other": "other/"}
    return {f"sys/fs/cgroup/{places[name]}cpu.max": text for name, text in limits.items()}


def v1(folder: str, quota: int, period: int = 100_000) -> dict[str, str]:
    return {f"{folder}/cpu.cfs_quota_us": f"{quota}\n", f"{folder}/cpu.cfs_period_us": f"{period}\n"}


IN_V2 = "0::/pod7/box\n"
IN_V1 = "12:memory:/elsewhere\n4:cpu,cpuacct:/pod7/box\n1:cpuset:/\n0::/\n"


@pytest.mark.parametrize(
    ("cgroup", "files", "cores"),
    [
        (IN_V2, {}, None),
        (IN_V2, v2(pod7_box="max 100000\n"), None),
        (IN_V2, v2(pod7_box="300000 100000\n"), 3),
        (IN_V2, v2(pod7_box="130000 100000\n"), 2),
        (IN_V2, v2(pod7_box="10000 100000\n"), 1),
        (IN_V2, v2(pod7_box="max 100000\n", pod7="250000 50000\n"), 5),
        (IN_V2, v2(pod7_box="400000 100000\n", pod7="800000 100000\n"), 4),
        (IN_V2, v2(pod7_box="800000 100000\n", pod7="400000 100000\n"), 4),
        (IN_V2, v2(pod7_box="800000 100000\n", root="300000 100000\n"), 3),
        (IN_V2, v2(other="100000 100000\n"), None),
        ("0::/../../far\n", v2(root="600000 100000\n"), 6),
        ("0::/\n", v2(root="200000 100000\n"), 2),
        (None, v2(root="200000 100000\n"), 2),
        (IN_V2, v2(pod7_box="rubbish\n"), None),
        (IN_V2, v2(pod7_box="100000 0\n"), None),
        (IN_V2, v2(pod7_box=""), None),
        (IN_V1, v1(f"{V1}/{NESTED}", -1), None),
        (IN_V1, v1(f"{V1}/{NESTED}", 130_000), 2),
        (IN_V1, v1(f"{V1}/{NESTED}", 800_000) | v1(f"{V1}/pod7", 50_000, 10_000), 5),
        (IN_V1, v1(f"{V1}/{NESTED}", 800_000) | v1(V1, 300_000), 3),
        (IN_V1, v1("sys/fs/cgroup/cpu", 700_000), 7),
        (IN_V1, v1("sys/fs/cgroup/memory/elsewhere", 100_000), None),
        (IN_V1, {f"{V1}/{NESTED}/cpu.cfs_quota_us": "100000\n"}, None),
        ("0::/pod7\n", v1("sys/fs/cgroup/cpu", 900_000) | {"sys/fs/cgroup/unified/pod7/cpu.max": "200 100"}, 2),
        ("what is this\n\n:\n", {}, None),
        (None, {}, None),
    ],
)
def test_the_tightest_quota_counts(
    tmp_path: Path, cgroup: str | None, files: dict[str, str], cores: int | None
) -> None:
    root = tree(tmp_path, cgroup, files)
    assert cpu_quota(root) == cores
    assert usable_cores(root) == min(affine_cores(), cores or affine_cores())


def test_an_affinity_mask_of_one_core_is_one_thread() -> None:
    code = "import os; from kgask.machine.cores import *; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]); " \
        "print(affine_cores(), usable_cores())"  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1 1\n"


def test_nothing_else_counts_cores() -> None:
    """torch, llama.cpp and ONNX Runtime are told how many threads; a second way to count would differ one day."""
    package = Path(sys.modules["kgask"].__file__).parent
    counting = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if any(name in path.read_text(encoding="utf-8") for name in ("sched_getaffinity", "cpu.max", "cfs_quota"))
    }
    assert counting == {"machine/cores.py"}
