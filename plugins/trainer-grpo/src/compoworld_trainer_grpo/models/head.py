"""Head: on CPUs, the vocabulary is scored at labelled positions alone.

TRL's fused head does so on GPUs; elsewhere it scores every position, since on some devices a
changing number of them would mean compiling anew. A CPU does not compile, and of a conversation
the model wrote a fifth: the head is a third of a small model, and its softmax costs more than
that. So on a CPU this takes the place of TRL's, with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

from attrs import define

if TYPE_CHECKING:
    from torch import Tensor

_IGNORED: Final = -100
"""The label of a position that is not learnt from."""
_SCALED: Final = (
    "final_logit_softcapping", "logit_scale", "output_multiplier", "lm_head_multiplier",
    "logits_scaling", "output_router_logits",
)  # fmt: skip
"""What makes logits more than a linear layer of the last states: left to TRL."""


@define(eq=False)
class LabelledHead:
    """A causal language model's head, of which only labelled positions are asked."""

    model: Any
    """Of transformers, with TRL's fused head on it already."""
    temperature: float = 1.0
    """What logits are divided by."""
    own: Tensor | None = None
    """(rows, last places): 1 where the model itself wrote; None where labels say all."""

    def install(self) -> LabelledHead:
        """Put it in place of TRL's, where that would score every position."""
        theirs = self.model.forward

        @wraps(type(self.model).forward)
        def forward(*given: Any, **named: Any) -> Any:
            labels = named.get("labels")
            if labels is None or not (named.get("fused_lm_head") and self._fits(named)):
                return theirs(*given, **named)
            rest = {n: v for n, v in named.items() if n not in ("labels", "fused_lm_head")}
            return self._scored(labels, *given, **{**rest, "use_cache": False})

        self.model.forward = forward
        return self

    @contextmanager
    def only(self, own: Tensor | None) -> Iterator[None]:
        """Ask only where the model itself wrote, of the last places of each row."""
        before, self.own = self.own, own
        try:
            yield
        finally:
            self.own = before

    def _fits(self, named: dict[str, Any]) -> bool:
        head = self.model.get_output_embeddings()
        text = self.model.config.get_text_config()
        plain = not any(getattr(text, name, None) for name in _SCALED)
        whole = not hasattr(head.weight, "ds_id")  # under ZeRO-3 it lies in parts: TRL gathers
        shifted = "shift_labels" in named or "num_items_in_batch" in named
        return plain and whole and not shifted and head.weight.device.type == "cpu"

    def _scored(self, labels: Tensor, *given: Any, **named: Any) -> Any:
        """TRL's output, of labelled positions."""
        import torch
        from trl.trainer.utils import FusedCausalLMOutput

        states = self.model.base_model(*given, **named).last_hidden_state[:, :-1]
        labels = labels[:, 1:]
        mask = labels != _IGNORED
        if self.own is not None:
            mask[:, -self.own.shape[1] :] &= self.own.bool()
        logits = self.model.get_output_embeddings()(states[mask]).float() / self.temperature
        wanted = labels[mask]
        every = logits.log_softmax(dim=-1)
        with torch.no_grad():
            entropy = -(every.exp() * every).sum(dim=-1)
            first = (logits.argmax(dim=-1) == wanted).float()
        # scattering keeps a batch without labels connected to the model
        chosen, entropy, first = (
            each.new_zeros(mask.shape).masked_scatter(mask, each)
            for each in (every.gather(-1, wanted.unsqueeze(-1)).squeeze(-1), entropy, first)
        )
        return FusedCausalLMOutput(
            loss=-chosen.sum() / mask.sum().clamp(min=1),
            log_probs=chosen,
            entropy=entropy,
            is_top1=first,
            label_mask=mask,
        )


def unused(mask: Tensor) -> int:
    """Columns at the right of a padded batch, (rows, places), that no row uses."""
    used = mask.any(dim=0).nonzero()
    return int(mask.shape[1]) if not len(used) else int(mask.shape[1] - 1 - used[-1])


def labelled_head(model: Any, temperature: float = 1.0) -> LabelledHead:
    """The head of a trainer's model, put in place; PEFT adapters are looked through."""
    from peft import PeftModel

    inner = model.get_base_model() if isinstance(model, PeftModel) else model
    return LabelledHead(inner, temperature).install()
