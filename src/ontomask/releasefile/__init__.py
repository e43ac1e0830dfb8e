"""The release file: a table, the roles of its columns, a method, and requirements."""

from ontomask.releasefile.run import run_release_file

__all__ = ["run_release_file"]
