"""Tiny: a Qwen3 of about a million parameters, its tokenizer trained on the spot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from compoworld_core import compose, plugins
from compoworld_core.conversation import opening
from compoworld_core.environment import Environment
from compoworld_core.meta import MetaTools
from compoworld_core.observation import shown
from compoworld_core.records import Message
from compoworld_trainer_grpo.models import induction as circuit
from compoworld_trainer_grpo.models import vocabulary as tokens
from compoworld_trainer_grpo.models.loading import Loaded
from compoworld_trainer_grpo.templates.known import bound, find

_CONTEXT: Final = 32_768
"""Tokens of a conversation at most."""
_RESULT: Final = 2_000
"""Characters of a tool's result that the default texts hold at most."""
_SCALE: Final = 20
"""Records a service of the default texts' world."""


def build(
    texts: Iterable[str],
    *,
    seed: int = 0,
    vocabulary: int = 4096,
    layers: int = 3,
    hidden: int = 128,
    heads: int = 3,
    values: int = 0,
    induction: bool = True,
) -> Loaded:
    """A fresh model with a tokenizer trained on rendered texts, and the compact template.

    Its first two layers start as an induction circuit, so that it copies before it has learnt
    anything; nothing is frozen. The same arguments give the same model and tokenizer; the
    global random state stays as it was. With the defaults it has 1.3 million parameters, of
    which the vocabulary takes 0.5.

    Args:
        texts: conversations as `Template.render` of `compact` gives them; never held-out ones.
        seed: of the weights.
        vocabulary: tokens at most.
        layers: transformer blocks.
        hidden: width of the residual stream; a multiple of 32.
        heads: attention heads of a layer, each 64 wide; keys and values have as many.
        values: whole values that are tokens, at most; see `vocabulary.train`.
        induction: start with the circuit, where the model is large enough for it (two layers,
            128 dimensions, three heads); otherwise all weights are random.
    """
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    tokenizer = tokens.train(texts, vocabulary, values=values)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=hidden * 3,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        head_dim=circuit.HEAD,
        max_position_embeddings=_CONTEXT,
        rope_parameters={"rope_type": "default", "rope_theta": circuit.THETA},
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(seed)
        model = Qwen3ForCausalLM(config)
        if induction and circuit.fits(layers, hidden, heads):
            with torch.no_grad():
                circuit.wire(model)
    return Loaded(model, tokenizer, bound(find("compact"), tokenizer))


def load_default() -> Loaded:
    """The model `tiny`, untrained: the same for the same installed services."""
    return build(default_texts())


def default_texts() -> Iterator[str]:
    """What a tokenizer is trained on where no trajectories are at hand.

    The opening, the catalogue, and results of tools that need no arguments, in a world of its
    own, of which no task comes.
    """
    yield from catalogue()
    names = plugins.services().names()
    if not names:
        return
    world = compose(*names, seed=0, scale=_SCALE)
    for name in names:
        results = [
            Message(
                role="tool", content=shown(world.call(f"{name}.{tool.name}", {}).text, _RESULT)
            )
            for tool in world.services[name].tools.values()
            if not tool.input_schema.get("required")
        ]
        if results:
            yield find("compact").render(results, (), generation=False)


def catalogue(services: Sequence[str] | None = None) -> Iterator[str]:
    """Rendered documentation of services: what each meta-tool answers about them.

    Given beside trajectories, it makes each tool's description one token, also of tools that no
    training task uses.

    Args:
        services: by name; all installed ones where None.
    """
    compact = find("compact")
    yield compact.render(opening("")[:1], MetaTools.schemas(), generation=False)
    names = plugins.services().names() if services is None else list(services)
    for name in names:
        yield compact.render(_documentation(compose(name, scale=_SCALE)), (), generation=False)


def _documentation(world: Environment) -> list[Message]:
    meta = world.meta
    answers = [meta.list_services().text]
    for service in world.services.values():
        answers.append(meta.list_tools(service.name).text)
        answers += [meta.describe_tool(service.name, tool).text for tool in service.tools]
    return [Message(role="tool", content=answer) for answer in answers]
