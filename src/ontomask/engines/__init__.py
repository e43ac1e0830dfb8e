"""Count, apply and verify: what touches records. One file per engine."""
