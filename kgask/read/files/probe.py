"""Whether llama.cpp can really use a GGUF file here: tried in a child process, once for a file, a library and a CPU.

llama.cpp ends the whole process on some files whose header is in order, and a library that was compiled for
another CPU, or by the wrong compiler, does so on every file: so the first load happens where that does no harm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from kgask.config import AUTO
from kgask.errors import ModelError, NativeError
from kgask.machine.cores import usable_cores
from kgask.machine.trial import Crash, Trial
from kgask.read.files.card import check_file, file_hash, has_card, is_added, read_added, read_card
from kgask.read.gguf.bindings import library_hash
from kgask.read.gguf.header import GgufHeader, check_readable, read_header

if TYPE_CHECKING:
    from kgask.read.cross_encoder.engine import EncoderEngine
    from kgask.read.gguf.engine import Engine

LEAST_SECONDS, SLOWEST_DISK = 60.0, 20e6  # bytes a second
# Weights that llama.cpp rearranges to some use. Measured with AVX-512, 113 M parameters, prompts of 50 and 500 tokens:
# Q4_0 takes 1.5 to 1.6 times as long without, Q8_0 as long, Q4_K 0.7 to 0.95 times, kgask's own reader as long.
REARRANGED = frozenset({"Q4_0"})
# Reaches every byte of a byte-level vocabulary, and what a sentence-piece vocabulary may not know.
SAMPLE = "Who wrote it? [1] Zoë | né à | Кафка\n" + "".join(map(chr, range(1, 256))) + "漢字 \U0001f600"

# Measured on two cores, 409 tokens: two threads read them in 104 ms instead of 178 on an idle machine, and in 395
# instead of 290 beside two busy processes.
OWN_THREADS = 2


@dataclass(frozen=True, slots=True)
class Run:
    """A file and how llama.cpp is to run it."""

    path: str
    kind: Literal["own", "decoder", "encoder-decoder"]
    n_threads: int
    gpu_layers: int | str
    extra_buffers: bool = False

    @classmethod
    def own(cls, file: Path, n_threads: int | None = None, gpu_layers: int | str = AUTO) -> Run:
        """Of kgask's own reader."""
        return cls(str(file.absolute()), "own", n_threads or min(OWN_THREADS, usable_cores()), gpu_layers)

    def open(self) -> Engine:
        """The model, loaded; raises ModelError where llama.cpp refuses."""
        from kgask.read.gguf.encoder_decoder import EncoderDecoder
        from kgask.read.gguf.engine import Engine

        if self.kind == "own":
            return self.open_own()
        engine = EncoderDecoder if self.kind == "encoder-decoder" else Engine
        return engine(Path(self.path), self.n_threads, self.gpu_layers, self.extra_buffers)

    def open_own(self) -> EncoderEngine:
        """kgask's own reader, loaded; raises ModelError where llama.cpp refuses."""
        from kgask.read.cross_encoder.engine import EncoderEngine

        return EncoderEngine(Path(self.path), self.n_threads, self.gpu_layers, self.extra_buffers)

    def trial(self, file_key: str, file_bytes: int) -> Trial:
        """What tries it; ``file_key`` says which content the file has."""
        settings = f"{self.kind} {self.n_threads} {self.gpu_layers} {self.extra_buffers}"
        seconds = LEAST_SECONDS + file_bytes / SLOWEST_DISK
        depends_on = (library_hash(), file_key, settings)
        return Trial(self.path, "llama.cpp", f"{__name__}:attempt", asdict(self), depends_on, seconds)


@dataclass(frozen=True, slots=True)
class Weights:
    """A file that llama.cpp can use."""

    file: Path
    header: GgufHeader
    hash: str
    run: Run
    note: str  # what was tried, for --verbose; "" when nothing was


def usable(path: Path, n_threads: int | None = None, gpu_layers: int | str = AUTO) -> Weights:
    """The weights of a ``.gguf`` file or of a folder that ``kgask models add`` made.

    Raises ModelError, one line, for what is broken or has changed since it was added, NativeError for what crashes
    llama.cpp.
    """
    header = checked_header(_file_of(path))
    hashed = file_hash(header.path)
    key = _content_key(header.path, hashed)
    for run in runs(header, n_threads, gpu_layers):
        try:
            return Weights(header.path, header, hashed, run, run.trial(key, header.file_bytes).pass_once())
        except Crash:
            if not run.extra_buffers:  # the plainest way crashes too
                raise
    raise AssertionError("runs() ends with one without extra buffers")


def runs(header: GgufHeader, n_threads: int | None = None, gpu_layers: int | str = AUTO) -> list[Run]:
    """The ways to run a file, the quickest first; the last one is the plainest."""
    if header.is_own:
        return [Run.own(header.path, n_threads, gpu_layers)]
    plain = Run(
        str(header.path.absolute()),
        "encoder-decoder" if header.is_encoder_decoder else "decoder",
        n_threads or usable_cores(),
        gpu_layers,
    )
    return [replace(plain, extra_buffers=True), plain] if header.quantisation in REARRANGED else [plain]


def trial_of(path: Path) -> Trial:
    """What tries a reader (folder or file) in the plainest way that it runs in; ModelError for one that is none."""
    if has_card(path):
        card = read_card(path)
        check_file(card)
        return Run.own(card.file).trial(card.sha256, card.n_bytes)
    header = checked_header(_file_of(path))
    return runs(header)[-1].trial(_content_key(header.path, file_hash(header.path)), header.file_bytes)


def _file_of(path: Path) -> Path:
    return read_added(path).file if is_added(path) else path


def _content_key(file: Path, hashed: str) -> str:
    """Which content a file has; the hash of a large one is of its head only."""
    found = file.stat()
    return f"{found.st_size} {found.st_mtime_ns} {hashed}"


def checked_header(file: Path) -> GgufHeader:
    """The header of a file that can read; raises ModelError."""
    header = read_header(file)
    check_readable(header)
    return header


def try_file(header: GgufHeader) -> None:
    """Try a file now, in its plainest way on one thread, whatever is remembered; raises ModelError with the reason."""
    runs(header, 1, 0)[-1].trial("", header.file_bytes).run()


def attempt(payload: Mapping[str, Any]) -> tuple[str, bool] | None:
    """In the child: load, tokenise, evaluate; None when all of it worked, else the reason, and whether it is the
    library's rather than the file's."""
    try:
        engine = Run(**payload).open()
        engine.yields = False  # code for threads is tried with threads
        engine.try_out(SAMPLE)
    except (NativeError, ModelError) as error:
        return str(error), isinstance(error, NativeError)
    return None
