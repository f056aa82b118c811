"""Let `python -m regard` be the command `regard`."""

from regard.cli import main

main()
