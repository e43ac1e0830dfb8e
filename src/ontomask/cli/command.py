"""A command whose help is plain and whose renamed options still work."""

from __future__ import annotations

from typing import Any

from typer.core import TyperArgument, TyperCommand

from ontomask.cli.console import print_warning

__all__ = ["Command"]

#: Old names of options, which work with a warning and are not in the help.
RENAMED_OPTIONS = {"--spec": "--release-file", "--specs": "--release-files"}


class Command(TyperCommand):
    """A command that shows its arguments by name, without braces and Python types."""

    def __init__(self, *values: Any, **settings: Any) -> None:
        super().__init__(*values, **settings)
        for parameter in self.params:
            if isinstance(parameter, TyperArgument):
                vars(parameter)["display_type_rich"] = lambda ctx: None

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The parts of the usage line: what is optional is in brackets."""
        return [
            piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)
        ]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, with the old names of options replaced by the new ones."""
        return super().parse_args(ctx, [_rename_option(argument) for argument in args])


def _rename_option(argument: str) -> str:
    name, equals, value = argument.partition("=")
    if name not in RENAMED_OPTIONS:
        return argument
    print_warning(f"{name} is deprecated: use {RENAMED_OPTIONS[name]}")
    return f"{RENAMED_OPTIONS[name]}{equals}{value}"
