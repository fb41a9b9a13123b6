"""AgenticOptions: what may be chosen about the generator."""

from __future__ import annotations

from typing import Any, Literal

from compoworld_policy_openai.endpoint import Endpoint, read_endpoint
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from compoworld_core.errors import UsageError
from compoworld_core.generation import Request
from compoworld_core.schema import problems

NAME = "agentic"


class AgenticOptions(BaseModel):
    """What may be chosen about the generator."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Literal["write", "rewrite"] = "write"
    """write: the model makes whole tasks; rewrite: it only rewords another generator's."""
    model: str | None = None
    """The model's name; by default of the environment."""
    base_url: str | None = None
    """The address up to /v1; by default of the environment."""
    api_key_env: str = ""
    """The environment variable that holds the key; never the key itself, which would lie in
    the run folder."""
    budget: int = Field(default=3, ge=0, le=20)
    """How often the model may repair its proposal after the first one."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    seed: int | None = 0
    """What the seeds that are sent are drawn from, with run and try; null sends none."""
    max_tokens: int | None = Field(default=None, ge=1)
    """Most tokens of one reply."""
    timeout: float = 300.0
    """Seconds for one request."""
    tries: int = 6
    """Requests for one reply, where the first fails in a way that may pass."""
    pause: float = 1.0
    """Seconds before the second of them."""
    json_mode: bool = False
    """Ask the endpoint for a JSON object by `response_format`, which not all know."""
    body: dict[str, Any] = Field(default_factory=dict)
    """More keys of the request; null leaves one out."""
    rows: int = Field(default=3, ge=0, le=50)
    """write: rows of each table that the model is shown."""
    tools: int = Field(default=14, ge=1)
    """write: tools of each service that the model is shown."""
    affordances: bool = True
    """write: show what the walk generator learnt of the tools, where it is installed."""
    source: str = "walk"
    """rewrite: the generator whose tasks are reworded."""
    source_options: dict[str, Any] = Field(default_factory=dict)
    """rewrite: its options."""
    keep_original: bool = False
    """rewrite: where no rewording survives, keep the original text instead of refusing."""

    def endpoint(self) -> Endpoint:
        """The endpoint that is asked; UsageError where options and environment name none."""
        return read_endpoint(
            self.base_url,
            self.model,
            self.timeout,
            self.tries,
            self.pause,
            who=f"the task generator {NAME!r}",
            key_variable=self.api_key_env,
        )


def options_of(request: Request) -> AgenticOptions:
    """The options of a request; UsageError where one is unknown or does not fit."""
    try:
        options = AgenticOptions.model_validate(request.options)
    except ValidationError as error:
        known = ", ".join(AgenticOptions.model_fields)
        why = "; ".join(problems(error))
        raise UsageError(f"{why}. The task generator {NAME!r} has: {known}") from error
    if options.mode == "rewrite" and options.source == NAME:
        raise UsageError("source is 'agentic' itself; name another generator, such as walk")
    return options
