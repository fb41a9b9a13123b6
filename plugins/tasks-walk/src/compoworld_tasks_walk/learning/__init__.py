"""The learner of affordances: it runs each tool of a service on forks of seeded states."""

from compoworld_tasks_walk.learning.learner import affordances, learn

__all__ = ["affordances", "learn"]
