"""The audit: outcomes changed on purpose measure the verifier as one measures a classifier.

The kinds are written from the task record and the services' documentation alone, by somebody
who has not read how the verifier decides. `kinds` lists them; `tally` counts the verdicts.
"""
