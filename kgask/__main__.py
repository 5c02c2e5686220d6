"""``python -m kgask``."""

from kgask.cli.main import main

if __name__ == "__main__":
    main(prog_name="kgask")
