"""The options of every command that asks questions, and the pipeline that they name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from kgask import config
from kgask.answer.request import CONTEXTS, MAX_HOPS, MAX_TOP_K, ORDERS, TOP_K, AskOptions
from kgask.cli.options import PACK_OPTION, Decorator, Option, decorated
from kgask.errors import UsageError

if TYPE_CHECKING:
    from kgask.answer.pipeline import Pipeline

MAX_WRITTEN, WRITTEN_TOKENS = 4096, 128  # tokens of a free text
MAX_SHOTS = 12
_TOKENS, _HOPS = click.IntRange(1, MAX_WRITTEN), click.IntRange(1, MAX_HOPS)
# section -> spellings -> what click.option is told.
_TABLE: dict[str, dict[str, dict[str, Any]]] = {
    "Reader": {
        "-r/--reader": {"metavar": "GGUF", "help": "Reader name, folder or GGUF (KGASK_READER; default: reader)."},
        "--no-reader": {"is_flag": True, "help": "Answer without reading: from the plan, or the best triple."},
        "--prompt": {
            "metavar": "PROMPT",
            "help": "What a GGUF is told: a name (kgask prompt --list), or a file.",
        },
        "--free": {"is_flag": True, "help": "Let a GGUF reader write freely; what it names is checked."},
        "--max-tokens": {"type": _TOKENS, "help": f"With --free: length.  [default: {WRITTEN_TOKENS}]"},
        "--temperature": {"type": click.FloatRange(0, 5), "help": "With --free: 0 is greedy.  [default: 0]"},
        "--gpu-layers": {"metavar": "N", "help": "Layers of a GGUF reader on a GPU: a number, or auto (default)."},
    },
    "Research": {
        "--model": {"metavar": "MODEL", "help": "Planner name or path (KGASK_MODEL; default: rigel)."},
        "--judge": {"metavar": "MODEL", "help": "Judge of queries, name or path.  [default: judge]"},
        "--no-judge": {"is_flag": True, "help": "Take the planner's own word for which query is meant."},
        "--method": {"metavar": "METHOD", "help": "How triples are found: see kgask methods.  [default: rigel]"},
        "--hops": {"type": _HOPS, "help": f"At most this many hops.  [default: {MAX_HOPS}; other methods: 1]"},
        "--top-k": {"type": click.IntRange(1, MAX_TOP_K), "help": f"Triples a hop to read.  [default: {TOP_K}]"},
        "--keep-seed": {"is_flag": True, "help": "Let a path come back to its topic entity."},
        "--encoder": {"metavar": "FOLDER", "help": "Sentence encoder of --method similarity.  [default: encoder]"},
        "--context": {"type": click.Choice(CONTEXTS), "help": "What a GGUF reader sees.  [default: triples]"},
        "--order": {"type": click.Choice(ORDERS), "help": "Of triples that another method found."},
        "--amr": {"metavar": "FILE", "help": "AMRs of the questions, for --method amr; parser: by amrlib."},
        "--amr-model": {"metavar": "MODEL", "help": "Ranker of --method amr; make one: kgask train amr."},
        "--shots": {"type": click.IntRange(0, MAX_SHOTS), "help": "Examples that --method kg-gpt shows its model."},
        "--seed": {"type": click.IntRange(0, 2**63 - 1), "help": "Of --free, and of what draws.  [default: 0]"},
    },
}
_OPTIONS = {"--pack": PACK_OPTION} | {
    names.split("/")[-1]: click.option(*names.split("/"), cls=Option, section=section, **attributes)
    for section, options in _TABLE.items()
    for names, attributes in options.items()
}
asked_with = decorated(*_OPTIONS.values())


def some_of(*names: str) -> Decorator:
    """A decorator that gives a command these options only."""
    return decorated(*(_OPTIONS[name] for name in names))


def not_asked_for() -> dict[str, Any]:
    """The options as they are when none is given."""
    nothing: click.Command = asked_with(click.Command("nothing"))
    return nothing.make_context("nothing", []).params


def open_pipeline(
    options: dict[str, Any],
    settings: dict[str, Any],
    on_text: Callable[[str], None] | None = None,
    must_read: bool = False,
) -> Pipeline:
    """The pipeline that the options name; ``on_text`` is given what a free reader writes, raw, as it is written.

    Where a reader does not work on this machine, questions are answered without it and a line on stderr says so, unless
    ``must_read``. Raises UsageError for options that exclude each other, and what :meth:`Pipeline.open` does.
    """
    from kgask.answer.pipeline import Pipeline

    _check(options)
    if options["gpu_layers"] is not None:
        settings = settings | {"gpu_layers": config.gpu_layers(options["gpu_layers"])}
    pipeline = Pipeline.open(
        options["pack"],
        model=options["model"],
        judge=None if options["no_judge"] else options["judge"] or "",
        reader=None if options["no_reader"] else options["reader"] or "",
        method=options["method"],
        encoder=options["encoder"],
        shots=options["shots"],
        claims=options.get("claims"),
        amr=options["amr"],
        amr_model=options["amr_model"],
        prompt=options["prompt"],
        context=options["context"] or CONTEXTS[0],
        settings=settings,
        must_read=must_read or options["free"],
    )
    try:
        if options["free"]:
            pipeline.reader = _free(pipeline.reader, options, on_text)
            pipeline.notes += (pipeline.reader.note,)
    except BaseException:
        pipeline.close()
        raise
    return pipeline


def _check(options: dict[str, Any]) -> None:
    if options["no_reader"]:
        for name in ("reader", "prompt", "free"):
            if options[name]:
                raise UsageError(f"--{name} and --no-reader exclude each other")
    if options["judge"] and options["no_judge"]:
        raise UsageError("--judge and --no-judge exclude each other")
    if options["prompt"] and not options["free"]:
        from kgask.read.gguf.prompts import OF_CLAIMS, form_of

        form = form_of(options["prompt"])
        if not form.has_facts:
            raise UsageError(f"--prompt {options['prompt']} shows no facts, so nothing could be checked; add --free")
        if form.name in OF_CLAIMS:
            raise UsageError(f"--prompt {form.name} is answered by yes or no, which no fact holds; add --free")
    if options["context"] == "passages" and not options["free"]:
        raise UsageError("--context passages shows no facts, so nothing could be checked; add --free")
    for name in ("max_tokens", "temperature"):
        if options[name] is not None and not options["free"]:
            raise UsageError(f"--{name.replace('_', '-')} is for --free; by default nothing is written freely")


def _free(reader: Any, options: dict[str, Any], on_text: Callable[[str], None] | None) -> Any:
    from kgask.read.gguf.reader import FreeReader, Writing

    writing = Writing(options["max_tokens"] or WRITTEN_TOKENS, options["temperature"] or 0.0, options["seed"] or 0)
    return FreeReader.of(reader, writing, on_text)


def ask_options(options: dict[str, Any], settings: dict[str, Any], **more: Any) -> AskOptions:
    """How each question is asked; ``more`` are further fields."""

    def chosen(name: str, default: float | None) -> Any:
        return options[name] if options[name] is not None else settings.get(name, default)

    return AskOptions(
        hops=chosen("hops", None),
        top_k=chosen("top_k", TOP_K),
        keep_seed=options["keep_seed"],
        order=options.get("order") or ORDERS[0],
        rng_seed=options.get("seed") or 0,
        **more,
    )
