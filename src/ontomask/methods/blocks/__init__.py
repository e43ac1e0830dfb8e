"""Many tuples in blocks, each planned alone: for tables beyond memory, and for many machines.

A block is a corner of the space of tuples (:mod:`~ontomask.methods.blocks.split`), planned like a
table of its own (:mod:`~ontomask.methods.blocks.block`) in this process or another
(:mod:`~ontomask.methods.blocks.planning`). Whatever a method promises of every table, it promises
of every block, so of all: classes of k, the same values as often. What it costs is the groups that
would have reached over the edge of a block.
"""

from ontomask.methods.blocks.planning import Runner, blocks_of, in_blocks, running_blocks

__all__ = ["Runner", "blocks_of", "in_blocks", "running_blocks"]
