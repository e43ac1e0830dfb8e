"""The loop that walks through delimited text byte by byte, and notes what it needs to know.

``note`` holds numbers that outlive a chunk; their places are the constants below.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit

__all__ = ["NOTES", "finish", "walk"]

Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]

# Where the walk stands.
MODE = 0  # in the cell: see below
CELL = 1  # the place of the cell in its record
LINE = 2  # lines ended so far
START_LINE = 3  # lines ended before this record began
START = 4  # where this record began
AT = 5  # bytes seen in earlier chunks, the byte order mark not among them
AFTER_CR = 6  # the last byte was a carriage return that ended a record
# What it found.
RECORDS = 7  # the header included
WIDTH = 8  # cells of the header
LONGEST = 9  # bytes of the longest record
LF, CRLF, CR = 10, 11, 12  # records that end so
EMBEDDED = 13  # whether a cell has several lines
HEADER_END = 14  # bytes of the header
HEADER_QUOTED, HEADER_PLAIN = 15, 16  # its cells, by how they are written
FIRST_END = 17  # 1 when the first record ends in CR LF
FINAL = 18  # 1 when the last record ends in a new line
PROBLEM, PROBLEM_LINE, PROBLEM_NUMBER = 19, 20, 21
NOTES = 22

# In PLAIN and QUOTED, the last two, most bytes change nothing.
BEGIN, SPACES, CLOSED, PLAIN, QUOTED = 0, 1, 2, 3, 4
(
    NO_PROBLEM,
    RAGGED,
    AFTER_QUOTE,
    SPACE_BEFORE_QUOTE,
    OPEN_QUOTE,
    NUL,
    EMPTY_HEADER,
    LONE_CR,
    TOO_WIDE,
) = range(9)


@jit
def walk(data: Bytes, delimiter: int, quote: int, note: Longs, quoted: Longs, plain: Longs) -> None:
    """Walk through one chunk; stops at the first problem. ``quote`` is -1 where nothing quotes.

    ``quoted[c]`` and ``plain[c]`` count the cells of column ``c`` below the header that are
    written with quotes, and those that are not and hold something.
    """
    means_something = np.zeros(256, dtype=np.bool_)
    for special in (0, 10, 13, delimiter, max(quote, 0)):
        means_something[special] = True
    mode, cell = note[MODE], note[CELL]
    for i in range(len(data)):
        byte = data[i]
        ordinary = not means_something[byte]
        if ordinary and mode >= PLAIN:
            continue
        if mode == BEGIN and note[AFTER_CR]:
            note[AFTER_CR] = 0
            if byte != 10:
                _note_problem(note, LONE_CR, note[LINE], 0)
                return
            note[CRLF] += 1
            if note[FIRST_END] == 0:
                note[FIRST_END] = 2
            note[START] = note[AT] + i + 1
        elif ordinary:
            if mode == CLOSED:
                _note_problem(note, AFTER_QUOTE, note[LINE] + 1, 0)
                return
            mode = SPACES if byte == 32 else PLAIN
        elif byte == 0:
            _note_problem(note, NUL, note[LINE] + 1, note[AT] + i)
            return
        elif mode == QUOTED:
            if byte == quote:
                mode = CLOSED
            elif byte != delimiter:
                note[EMBEDDED] = 1
                note[LINE] += byte == 10
        elif byte == delimiter:
            if mode == CLOSED:
                quoted[cell] += 1
            elif mode != BEGIN:
                plain[cell] += 1
            cell += 1
            if cell >= len(plain):
                _note_problem(note, TOO_WIDE, note[LINE] + 1, 0)
                return
            mode = BEGIN
        elif byte == quote:
            if mode == SPACES:
                _note_problem(note, SPACE_BEFORE_QUOTE, note[LINE] + 1, 0)
                return
            if mode != PLAIN:
                mode = QUOTED
        else:
            _end_record(mode, cell, note, quoted, plain, note[AT] + i)
            if note[PROBLEM]:
                return
            note[LINE] += 1
            note[START_LINE] = note[LINE]
            note[START] = note[AT] + i + 1
            mode, cell = BEGIN, 0
            if byte == 13:
                note[AFTER_CR] = 1
            else:
                note[LF] += 1
                if note[FIRST_END] == 0:
                    note[FIRST_END] = 1
    note[MODE], note[CELL] = mode, cell
    note[AT] += len(data)


@jit
def finish(note: Longs, quoted: Longs, plain: Longs) -> None:
    """The end of the file, which may end its last record."""
    if note[PROBLEM]:
        return
    if note[AFTER_CR]:
        _note_problem(note, LONE_CR, note[LINE], 0)
    elif note[MODE] == QUOTED:
        _note_problem(note, OPEN_QUOTE, note[START_LINE] + 1, 0)
    elif note[AT] == note[START]:
        note[FINAL] = 1
    else:
        _end_record(note[MODE], note[CELL], note, quoted, plain, note[AT])


@jit
def _note_problem(note: Longs, problem: int, line: int, number: int) -> None:
    note[PROBLEM] = problem
    note[PROBLEM_LINE] = line
    note[PROBLEM_NUMBER] = number


@jit
def _end_record(
    mode: int, cell: int, note: Longs, quoted: Longs, plain: Longs, position: int
) -> None:
    """End a record, at this byte. An empty line is none, unless there is but one column."""
    cells = cell + 1
    empty = cells == 1 and mode == BEGIN
    if mode == CLOSED:
        quoted[cell] += 1
    elif mode != BEGIN:
        plain[cell] += 1
    if note[RECORDS] == 0:
        if empty:
            _note_problem(note, EMPTY_HEADER, note[LINE] + 1, 0)
            return
        note[WIDTH] = cells
        note[HEADER_END] = position
        note[HEADER_QUOTED], note[HEADER_PLAIN] = quoted.sum(), plain.sum()
        quoted[:] = 0
        plain[:] = 0
    elif empty and note[WIDTH] > 1:
        return
    elif cells != note[WIDTH]:
        _note_problem(note, RAGGED, note[START_LINE] + 1, cells)
        return
    note[RECORDS] += 1
    note[LONGEST] = max(note[LONGEST], position - note[START])
