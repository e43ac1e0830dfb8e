"""Many tuples in blocks, each planned alone: for tables beyond memory, and for many machines.

A block is a corner of the space of tuples (:mod:`~ontomask.methods.blocks.split`), planned like a
table of its own (:mod:`~ontomask.methods.blocks.block`) in this process or another
(:mod:`~ontomask.methods.blocks.planning`). Whatever a method promises of every table, it promises
of every block, so of all: classes of k, the same values as often. What it costs is the groups that
would have reached over the edge of a block.
"""

from ontomask.methods.blocks.planning import (
    BlockRunner,
    plan_in_blocks,
    split_into_blocks,
    use_block_runner,
)

__all__ = ["BlockRunner", "split_into_blocks", "plan_in_blocks", "use_block_runner"]
