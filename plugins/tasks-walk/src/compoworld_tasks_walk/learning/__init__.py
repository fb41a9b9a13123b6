"""The learner of affordances: it runs each tool of a service on forks of seeded states."""
