"""Where the command starts: ``python -m kgask``, and the script that pip installs.

Ctrl-C is answered before anything is imported that takes time.
"""

try:
    from kgask.cli import interrupt

    interrupt.listen(interrupt.exit_at_once)
except KeyboardInterrupt:
    import os

    os.write(2, b"kgask: interrupted\n")
    os._exit(130)

from kgask.cli.main import main

if __name__ == "__main__":
    main(prog_name="kgask")
