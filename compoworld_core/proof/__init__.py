"""Proving tasks: plan, player, rubric, certificate, mutations. A generator proposes, this proves."""
