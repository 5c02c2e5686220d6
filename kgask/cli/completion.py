"""``kgask completion SHELL``: the script that completes kgask's words."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from kgask.cli.options import OUTPUT_OPTION, Command

SHELLS: dict[str, type[ShellComplete]] = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(list(SHELLS)))
@OUTPUT_OPTION
def completion(shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    bash: eval "$(kgask completion bash)"
    zsh:  eval "$(kgask completion zsh)"
    fish: kgask completion fish | source
    """
    from kgask.cli.main import cli

    click.echo(SHELLS[shell](cli, {}, "kgask", "_KGASK_COMPLETE").source())
