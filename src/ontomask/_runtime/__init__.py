"""How work is run: compiled loops, worker processes, interrupts, progress, atomic files."""
