"""Induction: a small Qwen3 that can copy before it has learnt anything.

What a call needs stands in the conversation: an address, an id, a title. Copying it takes an
induction circuit (Olsson et al. 2022): a head that looks one token back, and a later head that
finds where the current token stood before and takes what followed it there. Trained from random
weights, the circuit comes late and at once, after more steps than a demo has. So it is written
into the first two layers as their start; nothing is frozen, and all of it is trained on.

* Embeddings are codes of +1 and -1 in the first half of the residual stream, with a constant
  beside them; two memories for the tokens one and two places back take the other half.
* Layer 0 looks one and two tokens back, by the rotation of positions alone, and writes their
  codes into the memories.
* Layer 1 matches the current token against the memory of one back (a first head), and the last
  two against both memories (a second), in the dimensions that hardly rotate; both write the
  code of what they found, which the tied output reads. A third takes the current token's own
  code away, so that it is not said again.
"""

from __future__ import annotations

import math
from typing import Any, Final

HEAD: Final = 64
"""Width of a head: 32 of its dimensions must hardly rotate, for a code to be told by them."""
THETA: Final = 1e6
"""Base of the rotations, Qwen3's own."""

_SCALE: Final = 0.1
"""Of the embeddings: with a tied output, logits of about 6 for a code that is found."""
_CONSTANT: Final = 8.0
"""The constant beside a code, as large as 64 of its dimensions together."""
_NOISE: Final = 0.01
"""Deviation of the weights that no circuit needs."""
_POSITION: Final = 10.0
"""Sharpness of looking at a place: three quarters of the attention go there."""
_MATCH: Final = 2.5
"""Sharpness of matching: an equal token outweighs hundreds of others."""
_COPY: Final = 3.0
"""How much more a copied code counts than the current token's."""
_REACH: Final = 800
"""Tokens over which a matching dimension rotates by less than one radian."""
_FAST: Final = 0.02
"""Radians a token from which on a dimension tells places apart."""


def fits(layers: int, hidden: int, heads: int) -> bool:
    """Has a model of heads of width `HEAD`, with as many keys, room for the circuit?"""
    return layers >= 2 and hidden >= 2 * HEAD and heads >= 3


def wire(model: Any) -> None:
    """Write the circuit into a model's first two layers; the random state decides the codes.

    Args:
        model: a Qwen3 with heads of width `HEAD`, whose keys have as many heads as queries.
    """
    import torch

    stream = model.config.hidden_size
    first, second = (layer.self_attn for layer in model.model.layers[:2])
    code = range(HEAD)
    constant, width = HEAD, (stream - HEAD - 1) // 2
    back_one = range(HEAD + 1, HEAD + 1 + min(HEAD // 2, width + 1))
    back_two = range(back_one.stop, min(back_one.stop + HEAD // 2, stream))
    embedded = model.model.embed_tokens.weight
    signs = torch.randint(0, 2, (embedded.shape[0], HEAD)) * 2.0 - 1
    embedded.zero_()
    embedded[:, :HEAD] = _SCALE * signs
    embedded[:, constant] = _SCALE * _CONSTANT
    for attention in (first, second):
        for part in (attention.q_proj, attention.k_proj, attention.v_proj, attention.o_proj):
            part.weight.normal_(0, _NOISE)
    _sharpen(first, 1.0)
    _sharpen(second, _MATCH)
    for head, memory in enumerate((back_one, back_two)):
        _look_back(first, head, head + 1, constant)
        _carry(first, head, code, memory, 1.0)
    slow = _slow()
    half = len(slow) // 2
    _match(second, 0, slow, code, back_one)
    _match(second, 1, slow[:half], code, back_one)
    _match(second, 1, slow[half:], back_one, back_two)
    _look_back(second, 2, 0, constant)
    for head, strength in enumerate((_COPY / 2, _COPY / 2, -1.0)):
        _carry(second, head, code, code, strength)


def _rates() -> list[float]:
    """Radians a token by which each pair of a head's dimensions rotates."""
    pairs = HEAD // 2
    return [THETA ** (-pair / pairs) for pair in range(pairs)]


def _slow() -> list[int]:
    """The dimensions of a head that hardly rotate."""
    pairs = [pair for pair, rate in enumerate(_rates()) if rate * _REACH < 1]
    return [*pairs, *(pair + HEAD // 2 for pair in pairs)]


def _sharpen(attention: Any, match: float) -> None:
    """Set the scales of queries and keys: of places, and of what is matched."""
    for norm in (attention.q_norm, attention.k_norm):
        norm.weight.fill_(math.sqrt(match))
        for pair, rate in enumerate(_rates()):
            if rate > _FAST:
                norm.weight[[pair, pair + HEAD // 2]] = math.sqrt(_POSITION)


def _look_back(attention: Any, head: int, places: int, constant: int) -> None:
    """Have a head look so many tokens back: the constant, rotated by as much."""
    start = head * HEAD
    for pair, rate in enumerate(_rates()):
        one, other = start + pair, start + pair + HEAD // 2
        attention.k_proj.weight[one, constant] += 1 / _CONSTANT
        attention.q_proj.weight[one, constant] += math.cos(places * rate) / _CONSTANT
        attention.q_proj.weight[other, constant] -= math.sin(places * rate) / _CONSTANT


def _match(attention: Any, head: int, dimensions: list[int], asked: range, held: range) -> None:
    """Have a head look where `held` is what is `asked` here, dimension by dimension."""
    for dimension, query, key in zip(dimensions, asked, held, strict=False):
        attention.q_proj.weight[head * HEAD + dimension, query] += 1
        attention.k_proj.weight[head * HEAD + dimension, key] += 1


def _carry(attention: Any, head: int, source: range, target: range, strength: float) -> None:
    """Have a head take `source` from where it looks and add it to `target` here."""
    for offset, (taken, put) in enumerate(zip(source, target, strict=False)):
        attention.v_proj.weight[head * HEAD + offset, taken] += 1
        attention.o_proj.weight[put, head * HEAD + offset] += strength * _SCALE
