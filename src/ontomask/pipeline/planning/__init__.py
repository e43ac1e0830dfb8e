"""From counted tuples to a plan: the choice of blocks, the method, and where it is computed."""

from ontomask.pipeline.planning.plan import (
    People,
    Plan,
    PlanInput,
    plan_release,
    refuse_impossible_rules,
)

__all__ = ["People", "Plan", "PlanInput", "plan_release", "refuse_impossible_rules"]
