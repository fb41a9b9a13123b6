"""Vocabulary: the tokenizer of `tiny`, trained on rendered conversations of this system.

It loses nothing and hides nothing; it only spends its tokens where small models need them:

* A document that conversations show word for word (the system message with the list of the
  meta-tools, an answer of list_tools or describe_tool, an entry of list_services) is one token.
  Its text decodes as it was; the environment still has to be asked for it. What a model cannot
  do is read a document that the tokenizer never saw as one, other than spelt out.
* JSON between two values (`","tool":"`) is one piece, however long.
* A value is cut the same way wherever it stands: after a quotation mark in an observation,
  after a space in an instruction, or in a call. A model that copies must meet its tokens again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

PAD: Final = "<|endoftext|>"
END: Final = "<|im_end|>"
SPECIAL: Final = (PAD, "<|im_start|>", END)
ROLES: Final = ("system", "user", "assistant", "tool")
CONTROL: Final = (
    *SPECIAL,
    *(f"<|im_start|>{role}\n" for role in ROLES),
    "<tool_call>",
    "</tool_call>",
    "<think>",
    "</think>",
)
"""Tokens that are there whatever the texts hold; the first one pads."""

SMALLEST: Final = 300
"""Tokens of the smallest vocabulary: the bytes, and those of control."""

_MESSAGE: Final = re.compile(r"<\|im_start\|>(\w+)\n(.*?)(?=<\|im_end\|>|\Z)", re.DOTALL)
_DOCUMENTS: Final = ('{"service": "', '{"services": [')
"""How the answers of list_tools and describe_tool begin, and that of list_services. A tool's
own result never begins like this: the environment writes those without spaces."""
_ENTRY: Final = re.compile(r'\{"name": "[^{}]*\}')
_SHORTEST: Final = 40
"""Characters of the shortest document that is worth a token."""

_VALUE: Final = re.compile(r'(?<=[:\[,])"(?![a-z]+")(\w[^"\\\n]{2,36}\w)"(?=[,}\]])')
"""A string in a result that is worth a token of its own; plain words become one anyway."""
_RECURRING: Final = 3

_KEY: Final = r'[\[{]*"[A-Za-z_][\w\-]*": ?(?:(?:null|true|false|\[\]|\{\}), ?)?'
PIECES: Final = "|".join(
    (
        rf'(?:[a-z_]+ (?=\{{"))?"?[}}\]]*(?:, ?)?(?:{_KEY})+[\[{{]*"?',  # JSON up to a value
        r"[a-z]+://(?:[A-Za-z]+/)*",  # what an id or an address begins with
        r"\.(?:example|com|org)(?!\w)",
        r'"?[}\]]+,?',
        r'", ?"',
        r"\d{4}-\d{2}-(?=\d{2}(?!\d))",  # of a date, and of a time
        r"T\d{2}:(?=\d{2})",
        r"\d{2}:(?=\d{2})",
        r"\d{2}Z",
        r"\d{1,2}",
        r"[a-z][a-z0-9]*(?:[_\-][a-z0-9]+)+",  # names of tools, services and fields
        r" ?[a-z]+(?![\p{L}\d_]|[.@\-/:+=#?&]+[\p{L}\d])",  # a word, with its space
        r"\p{Lu}\p{L}*(?: (?=\p{Lu}))?",  # names keep their space inside
        r"\p{L}+",
        r"\n\d+\. ",
        r"\n+",
        r" +",
        r"[^\s\p{L}\d]",
        r"\s+",
    )
)
"""How text is cut before pairs are merged: no token reaches over a cut."""

_NUMERALS: Final = "\n".join(
    (
        *(f"{number:02}" for number in range(100)),
        *(f"T{number:02}:00:{number:02}Z\n01:{number:02}:00" for number in range(60)),
    )
)
"""Each pair of digits, and each part of a time: vocabularies have them all, so that a value's
tokens do not depend on which numbers the texts happened to hold."""
_WEIGHT: Final = 50
_TIMES: Final = 3
"""Times that one and the same body counts, at most."""


def train(texts: Iterable[str], size: int, *, values: int = 0) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer over our pieces, with documents and control tokens added.

    The same texts give the same tokenizer. At most half of the tokens are documents and whole
    values: the documents that save most, and the values that most texts show.

    Args:
        texts: rendered with the template `compact`.
        size: tokens at most; not under 300.
        values: values of results (`ada@x.example`, `Acme Ltd`) that are one token each, at
            most; they must stand in three texts. For tasks whose values come from closed
            pools: a model from scratch copies one token long before it copies five. Where
            values are open, those of other worlds would be spelt in a way it never saw.
    """
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, trainers
    from tokenizers.pre_tokenizers import ByteLevel, Sequence, Split
    from transformers import PreTrainedTokenizerFast

    texts = list(texts)
    room = max(0, min(size // 2, size - SMALLEST))
    whole = _values(texts)[: min(values, room)]
    bodies, found = _read(texts, room - len(whole))
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = Sequence(
        [Split(Regex(PIECES), "isolated"), ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size - len(found) - len(whole) - len(CONTROL),
        min_frequency=2,
        initial_alphabet=sorted(ByteLevel.alphabet()),
        show_progress=False,
    )
    inner.train_from_iterator([*bodies, *[_NUMERALS] * _WEIGHT], trainer)
    inner.add_special_tokens([AddedToken(each, special=True) for each in SPECIAL])
    rest = [*CONTROL[len(SPECIAL) :], *found]
    inner.add_tokens([AddedToken(each, special=False, normalized=False) for each in rest])
    # single_word: a value inside a longer word is none
    inner.add_tokens([AddedToken(v, single_word=True, normalized=False) for v in whole])
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]  # has no annotations
        tokenizer_object=inner,
        eos_token=END,
        pad_token=PAD,
        clean_up_tokenization_spaces=False,
    )


def documents(texts: Iterable[str], most: int) -> list[str]:
    """The documents of rendered conversations that save most as tokens, best first."""
    return _read(texts, most)[1]


def document_ids(tokenizer: Any) -> list[int]:
    """The ids of a tokenizer's documents, in order."""
    found = tokenizer.added_tokens_decoder
    return [
        key
        for key in sorted(found)
        if not found[key].special and len(found[key].content) >= _SHORTEST
    ]


def _read(texts: Iterable[str], most: int) -> tuple[list[str], list[str]]:
    """The documents that save most, and before them the other messages' bodies."""
    bodies: dict[str, int] = {}
    counts: dict[str, int] = {}
    for text in texts:
        for role, body in _MESSAGE.findall(text):
            bodies[body] = bodies.get(body, 0) + 1
            for document in _documents(role, body):
                counts[document] = counts.get(document, 0) + 1
    saved = sorted(counts, key=lambda each: (-counts[each] * len(each), each))[: max(most, 0)]
    chosen = frozenset(saved)
    # a body that recurs counts a few times: its words are worth merging, and no more than that
    kept = [[body] * min(n, _TIMES) for body, n in bodies.items() if body not in chosen]
    return [body for group in kept for body in group], saved


def _values(texts: Iterable[str]) -> list[str]:
    """The values of tools' results that most texts show, most frequent first."""
    counts: dict[str, int] = {}
    for text in texts:
        found: dict[str, None] = {}
        for role, body in _MESSAGE.findall(text):
            if role == "tool" and not body.startswith(_DOCUMENTS):
                found.update(dict.fromkeys(_VALUE.findall(body)))
        for value in found:
            counts[value] = counts.get(value, 0) + 1
    chosen = [value for value, count in counts.items() if count >= _RECURRING]
    return sorted(chosen, key=lambda each: (-counts[each], each))


def _documents(role: str, body: str) -> Iterator[str]:
    if role == "system":
        yield body
    elif role == "tool" and body.startswith(_DOCUMENTS):
        rows = _ENTRY.findall(body) if body.startswith(_DOCUMENTS[1]) else [body]
        yield from (row for row in rows if len(row) >= _SHORTEST)
