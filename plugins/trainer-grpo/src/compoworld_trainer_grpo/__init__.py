"""Trains CompoWorld policies: SFT, then GRPO with rubric rewards, on TRL and DeepSpeed."""
