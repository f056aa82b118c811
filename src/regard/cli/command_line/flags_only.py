"""Commands that start at once when nothing but flags is given.

Typer reads words as numbers and paths with pydantic, which takes a third of the time in which
`regard --help` is done. Flags are read without it, and defaults are what they are.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class CommandFirst(TyperGroup):
    """The commands: where the first word names one, there is no `--help` of all to look for."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options before the command, of which there are none if it comes first."""
        offered = self.add_help_option
        self.add_help_option = offered and args[:1] not in ([name] for name in self.commands)
        try:
            return super().parse_args(ctx, args)
        finally:
            self.add_help_option = offered


class FlagsOnly(TyperCommand):
    """Use as `app.command("name", cls=FlagsOnly)`; values, `--help` and mistakes are Typer's."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take flags and defaults as they stand; leave everything else to Typer."""
        flags = {
            word: param for param in self.params for word in param.opts
            if getattr(param, "is_flag", False) and not param.is_eager
        }  # fmt: skip
        if any(word not in flags for word in args) or any(param.required for param in self.params):
            return super().parse_args(ctx, args)
        given = {flags[word].name for word in args}
        ctx.params = {
            param.name: True if param.name in given else param.get_default(ctx)
            for param in self.params
        }
        ctx.args = []
        return []
