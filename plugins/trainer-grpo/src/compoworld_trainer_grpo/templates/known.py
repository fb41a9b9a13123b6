"""Known templates: by name, by the text that a model brings along, and by a hook.

A distribution adds one by an entry point of the group `compoworld.templates` whose target is a
:class:`Template`; a person names one as `module:attribute`.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from attrs import evolve

from compoworld_core.errors import UnknownName, UsageError
from compoworld_core.registry import closest, resolve
from compoworld_trainer_grpo.templates.reading import Declared, lined, tagged
from compoworld_trainer_grpo.templates.template import Template

GROUP: Final = "compoworld.templates"
"""The entry-point group of further templates."""

OWN: Final = ("compact", "chatml", "qwen3", "qwen3-training")
"""The templates that are here by name."""

_TOKENS: Final = ("bos_token", "eos_token", "pad_token", "unk_token")
"""Special tokens that a chat template may write."""

_ASK: Final = {"role": "user", "content": "x"}
_CALL: Final = {
    "role": "assistant",
    "content": "",
    "tool_calls": [
        {"type": "function", "function": {"name": "n", "arguments": '{"k": "v7f"}'}}
    ],
}
_ANSWER: Final = {"role": "assistant", "content": "y"}


def find(name: str) -> Template:
    """The template of a name, or of `module:attribute`; UnknownName lists the closest."""
    if name in OWN:
        return _own(name)
    points = {point.name: point for point in entry_points(group=GROUP)}
    if name in points:
        found = resolve(points[name].value, f"the chat template {name!r}")
    elif ":" in name:
        found = resolve(name, "the chat template")
    else:
        names = (*OWN, *sorted(points))
        raise UnknownName("chat template", name, closest(name, names), ", ".join(names))
    if not isinstance(found, Template):
        raise UsageError(
            f"the chat template {name!r} is a {type(found).__name__}; it must be a Template of"
            " compoworld_trainer_grpo.templates.template"
        )
    return found


@cache
def _own(name: str) -> Template:
    if name == "compact":
        jinja = Path(__file__).with_name("compact.jinja").read_text(encoding="utf-8")
        return Template(name, jinja, prefix_preserving=True, reader=lined)
    if name == "chatml":
        jinja = Path(__file__).with_name("chatml.jinja").read_text(encoding="utf-8")
        return Template(name, jinja, prefix_preserving=True, reader=tagged)
    kept = name == "qwen3-training"
    jinja = _of_trl("qwen3_training.jinja" if kept else "qwen3.jinja")
    return Template(name, jinja, prefix_preserving=kept, reader=tagged)


def _of_trl(file: str) -> str:
    """A template that TRL ships, read without the seconds that importing TRL takes."""
    spec = find_spec("trl")
    if spec is None or spec.origin is None:
        raise UsageError("TRL is not installed; type: pip install 'compoworld[train]'")
    path = Path(spec.origin).parent / "chat_templates" / file
    return path.read_text(encoding="utf-8")


def recognise(tokenizer: Any, name: str) -> Template:
    """The template that fits a model's tokenizer.

    Ours and those that TRL knows are known by their exact text; where TRL has a training
    variant, which keeps what the original strips, that one is taken. Raises UsageError, with
    what to do, for a text that nobody knows, and for one whose turns have no one beginning, or
    no one end.

    Args:
        tokenizer: a transformers tokenizer.
        name: the model's, for messages.
    """
    text = tokenizer.chat_template
    how = (
        "name one with --set template=NAME (compact and chatml work with any tokenizer that has"
        " <|im_start|> and <|im_end|>), or describe it as a Template and give --set template="
        " module:attribute"
    )
    if not isinstance(text, str) or not text:
        raise UsageError(f"the model {name!r} brings no chat template; {how}")
    for own in ("compact", "chatml", "qwen3-training"):
        if find(own).jinja == text:
            return bound(find(own), tokenizer)
    from trl import chat_template_utils as trl

    if not trl.supports_tool_calling(tokenizer):
        raise UsageError(f"the chat template of {name!r} does not show tool calls; {how}")
    try:
        declared = _response_template(tokenizer)
    except ValueError as error:
        raise UsageError(f"TRL cannot read what a model of {name!r} writes; {how}") from error
    try:
        jinja, kept = trl.get_training_chat_template(tokenizer) or text, True
    except ValueError:  # no training variant; ours are made without its markers
        jinja, kept = text, trl.is_chat_template_prefix_preserving(tokenizer)
    if jinja == find("qwen3-training").jinja:
        return bound(find("qwen3-training"), tokenizer)
    end = tokenizer.eos_token
    found = bound(Template(f"of {name}", jinja, kept, Declared(declared, end), end), tokenizer)
    why = _unlike(found)
    if why:
        raise UsageError(f"the chat template of {name!r} cannot be trained on: {why}; {how}")
    return found


def _unlike(template: Template) -> str:
    """In what the turns of a template are unlike one another; empty where they are not.

    A sampler shows the model one header, and stops at one end token, whatever the turn says.
    """
    shown = template.render([_ASK], (), generation=True)
    texts = [template.render([_ASK, turn], (), generation=False) for turn in (_CALL, _ANSWER)]
    for text in texts:
        if not text.startswith(shown):
            near = max(0, len(shown) - 30)
            return f"a turn is shown to begin with {shown[near:]!r}, and is {text[near:]!r}"
    turns = [text[len(shown) :] for text in texts]
    if not template.end or any(template.end not in turn for turn in turns):
        return f"not all turns end with {template.end!r}: {' and '.join(map(repr, turns))}"
    return ""


def bound(template: Template, tokenizer: Any) -> Template:
    """The template with what it reads from the tokenizer, and how it takes arguments."""
    tokens = {name: getattr(tokenizer, name, None) for name in _TOKENS}
    found = evolve(template, variables={**tokens, **template.variables})
    try:
        text = found.render([_ASK, _CALL], (), generation=False)
    except (TypeError, UsageError):  # of a filter that takes objects only
        text = ""
    # a filter that takes anything writes a text with its quotes escaped
    return found if '"v7f"' in text else evolve(found, objects=True)


def _response_template(tokenizer: Any) -> Any:
    """The tokenizer's own response template, or the one that TRL has for its chat template."""
    from trl import chat_template_utils as trl

    if getattr(tokenizer, "response_template", None) is None:
        trl.add_response_schema(tokenizer)
    return tokenizer.response_template
