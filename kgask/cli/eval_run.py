"""``kgask eval run``: a question set through a pipeline, once or for each value of an option."""

from __future__ import annotations

import re
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kgask import config
from kgask.answer.request import CONTEXTS
from kgask.cli.asked_with import WRITTEN_TOKENS, ask_options, asked_with, open_pipeline
from kgask.cli.eval_claims import run_claims, run_conversations, run_rewriting
from kgask.cli.eval_everyday import run_everyday
from kgask.cli.eval_score import print_figures, print_sweep
from kgask.cli.figures import LIMIT_OPTION, PLACE
from kgask.cli.options import JSON_OPTION, Command
from kgask.cli.render import note, steps_bar
from kgask.errors import UsageError
from kgask.types import PLANNED
from kgask.verify.engines import OF_A_PACK

if TYPE_CHECKING:
    from kgask.eval.folder import Saved
    from kgask.eval.run import Asking
    from kgask.read.gguf.prompts import PromptForm
    from kgask.sets.gold import Gold

SWEPT = (
    "top-k", "hops", "method", "reader", "order", "context", "shots", "prompt", "encoder", "model", "pack", "seed",
    "max-tokens",
)  # fmt: skip
EVERYDAY, REWRITING = "everyday", "rewriting"
OF_CLAIMS, OF_CONVERSATIONS = ("claims", "infotabs", "factbench"), ("conversations", "kgconv")
NO_READER = "none"  # as a value of a sweep over readers


@click.command("run", cls=Command)
@click.argument("set_name", metavar="SET")
@click.argument("path", metavar="[PATH]", required=False, type=click.Path(exists=True, path_type=Path))
@click.option("-o", "--output", type=PLACE, metavar="OUT", help="Run folder; of everyday: a file of its outcomes.")
@click.option("--split", metavar="NAME", help="Which part of the set, where PATH holds several.")
@asked_with
@click.option("--given", is_flag=True, help="Give the topic instead of linking it.")
@click.option("--gold-hops", is_flag=True, help="Give the number of hops instead of predicting it.")
@LIMIT_OPTION
@click.option(
    "--min-confidence", type=click.FloatRange(0, 1), default=0.0, show_default=True,
    help="Below this, count as unanswered; what the models' own threshold would do is reported beside.",
)  # fmt: skip
@click.option("--closed-world", is_flag=True, help="Of claims: what the graph does not say is false.")
@click.option(
    "--engine", type=click.Choice(OF_A_PACK), default=OF_A_PACK[0], show_default=True,
    help="Of claims: what judges them (kgask verify --help).",
)  # fmt: skip
@click.option("--sweep", metavar="NAME=V1,V2", help=f"A run for each value of an option: {', '.join(SWEPT)}.")
@JSON_OPTION
@click.pass_context
def run(
    ctx: click.Context, set_name: str, path: Path | None, output: Path | None, sweep: str | None, as_json: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Ask the questions of SET (read from PATH) and keep what comes back in OUT.

    \b
    kgask eval run metaqa DATA/metaqa/2-hop/qa_dev_kbexact.txt.gz --pack metaqa -o runs/rigel
    kgask eval run metaqa DATA/... --pack metaqa -o runs/k --sweep top-k=1,3,5,10
    kgask eval score runs/rigel --by kind
    kgask eval run everyday questions.yaml --pack mine [-o outcomes.jsonl]

    A run that was stopped goes on with the same command. --method none --free asks the reader
    without any facts (the question-only baseline). Everyday questions (YAML: q, kind, gold) are judged by
    gold queries over the pack: exactly right, printed but wrong, or refused; conversations (YAML: turns of q,
    kind, gold; or kgconv) turn by turn; rewriting (JSON Lines: history, question, rewrite) compares what a
    turn is understood as with what people wrote. Claims (YAML: claim, kind, verdict, gold; or infotabs, factbench,
    factkg) are judged as kgask verify does; factkg with --free by a GGUF model, with KG-GPT's prompt for claims,
    with --method none by the claim alone.
    """
    from kgask.sets import registry
    from kgask.sets.gold import sample

    if path is None and set_name not in registry.SHIPPED:
        raise UsageError(f"where are the questions? kgask eval run {set_name} PATH -o OUT")
    is_verified = set_name == "factkg" and not options["free"]
    if path is not None and (is_verified or set_name in (EVERYDAY, REWRITING, *OF_CLAIMS, *OF_CONVERSATIONS)):
        if sweep or options["given"] or options["gold_hops"]:
            raise UsageError(f"{set_name} are asked as they are: without --sweep, --given and --gold-hops")
        run_so = run_rewriting if set_name == REWRITING else run_everyday
        if set_name not in (EVERYDAY, REWRITING):
            run_so = partial(run_conversations if set_name in OF_CONVERSATIONS else run_claims, set_name)
        run_so(path, output, options["limit"], options, as_json)
        return
    if output is None:
        raise UsageError(f"where is the run to be kept? kgask eval run {set_name} ... -o OUT")
    golds = sample(registry.load(set_name, path or Path(), options["split"]), options["limit"])
    chosen = options | {"set_name": set_name, "path": path, "command": command_line(ctx)}
    if all(gold.label is not None for gold in golds):
        chosen |= {"claims": True}
    if sweep is None:
        saved = run_one(golds, chosen, output)
        print_figures([saved], ["run"], as_json)
        return
    name, values = parse_sweep(sweep, ctx)
    runs = [run_one(golds, chosen | changed, output / folder) for folder, changed in values]
    print_sweep(name, [folder.partition("=")[2] for folder, _ in values], runs, as_json)


# --- sweeps -------------------------------------------------------------------------------------


def parse_sweep(text: str, ctx: click.Context) -> tuple[str, list[tuple[str, dict[str, Any]]]]:
    """``top-k=1,3`` as its name, and for each value a folder name with the options that it changes."""
    name, equals, listed = text.partition("=")
    values = [value.strip() for value in listed.split(",") if value.strip()]
    if not equals or not values:
        raise UsageError(f"--sweep {text!r}: expected NAME=V1,V2, such as top-k=1,3,5,10")
    if name not in SWEPT:
        raise UsageError(f"--sweep {name}: one of {', '.join(SWEPT)} can be swept")
    parameter = next(one for one in ctx.command.params if one.name == name.replace("-", "_"))
    found = [(_folder_name(name, value), _changed(parameter, value, ctx)) for value in values]
    if len({folder for folder, _ in found}) < len(found):
        raise UsageError(f"--sweep {text!r}: two values would have one folder; name each once")
    return name, found


def _changed(parameter: click.Parameter, value: str, ctx: click.Context) -> dict[str, Any]:
    if parameter.name == "reader":
        return {"reader": None, "no_reader": True} if value == NO_READER else {"reader": value, "no_reader": False}
    return {parameter.name: parameter.type.convert(value, parameter, ctx)}


def _folder_name(name: str, value: str) -> str:
    return f"{name}={re.sub(r'[^A-Za-z0-9._+-]', '_', Path(value).name)}"


# --- one run ------------------------------------------------------------------------------------


def run_one(golds: list[Gold], options: dict[str, Any], output: Path) -> Saved:
    from kgask.eval.folder import load
    from kgask.eval.run import run as ask_all

    settings = config.load_settings()
    if options.get("claims"):
        options = options | {"prompt": _prompt_of_claims(options, settings)}
    done = 0

    def report(n_done: int) -> None:
        nonlocal done
        done = n_done
        show(n_done, output.name)

    with open_pipeline(options, settings, must_read=True) as pipeline, steps_bar("eval", len(golds)) as show:
        asking = _asking(options, settings, pipeline.reader.form if pipeline.reader else None)
        about = {"path": str(options["path"]), "command": options["command"]}
        try:
            ask_all(pipeline, golds, asking, output, about, report)
        except KeyboardInterrupt:
            note(f"stopped after {done} of {len(golds)} questions; to go on: {options['command']}")
            raise
    return load(output)


def method_of(options: dict[str, Any], settings: dict[str, Any]) -> str:
    return options["method"] or str(settings.get("method", PLANNED))


def _prompt_of_claims(options: dict[str, Any], settings: dict[str, Any]) -> str | None:
    """KG-GPT's prompt for claims, or its baseline without evidence, where the user names no other."""
    if options["prompt"] or "prompt" in settings:
        return options["prompt"]
    if not options["free"]:
        note("these are claims, and only a reader that writes freely says yes or no; for verdicts: -r FILE.gguf --free")
        return None
    return "claim" if method_of(options, settings) == "none" else "kg-gpt-claim"


def _asking(options: dict[str, Any], settings: dict[str, Any], form: PromptForm | None) -> Asking:
    """How to ask, with the names that tables show and the hashes that the pipeline does not know."""
    from kgask.eval.run import Asking, named_models, text_hash

    asked = ask_options(options, settings, min_confidence=options["min_confidence"])
    reader = None if options["no_reader"] else options["reader"] or ""
    judge = None if options["no_judge"] else options["judge"] or ""
    named = named_models(options["pack"], options["model"], judge, reader, settings) | {
        "set": options["set_name"],
        "split": options["split"],
        "method": method_of(options, settings),
        "encoder": options["encoder"],
        "context": options["context"] or CONTEXTS[0],
        "shots": options["shots"],
        "amr": options["amr"],
        "amr_model": options["amr_model"],
        "prompt": form.name if form else None,
        "free": options["free"],
    }
    if options["free"]:
        named |= {"max_tokens": options["max_tokens"] or WRITTEN_TOKENS, "temperature": options["temperature"] or 0.0}
    hashes = {"prompt": text_hash(f"{form.system}\0{form.parts}")} if form else {}
    return Asking(asked, options["given"], options["gold_hops"], named=named, hashes=hashes)


def command_line(ctx: click.Context) -> str:
    """The command as it was typed, in one form that a shell takes."""
    words = ["kgask", "eval", "run"]
    for parameter in ctx.command.params:
        value = ctx.params.get(parameter.name)
        if ctx.get_parameter_source(parameter.name) is not ParameterSource.COMMANDLINE:
            continue
        if isinstance(parameter, click.Argument):
            words.append(str(value))
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            words.append(parameter.opts[-1])
        else:
            words += [parameter.opts[-1], str(value)]
    return shlex.join(words)
