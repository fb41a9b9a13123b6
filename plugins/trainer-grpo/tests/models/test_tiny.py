"""Tiny: its tokenizer, its model, and loading by name."""

import json
import re

import pytest
import torch  # noqa: TID253  # a test of a model
from compoworld_trainer_grpo import masks
from compoworld_trainer_grpo.models import tiny, vocabulary
from compoworld_trainer_grpo.models.extension import extend
from compoworld_trainer_grpo.models.loading import Loaded, load
from compoworld_trainer_grpo.templates.known import find
from hypothesis import given, settings
from hypothesis import strategies as st

from compoworld_core.errors import UsageError
from compoworld_core.meta import MetaTools
from compoworld_core.records import Message


def same(first, second):
    """Whether two models have the same weights."""
    pairs = zip(first.state_dict().items(), second.state_dict().items(), strict=True)
    return all(a[0] == b[0] and torch.equal(a[1], b[1]) for a, b in pairs)


def contains(ids, part):
    """Whether some tokens stand among others, in one piece."""
    return any(ids[i : i + len(part)] == part for i in range(len(ids) - len(part) + 1))


# -- the tokenizer -----------------------------------------------------------------------------


@settings(deadline=None, max_examples=300)
@given(text=st.text(max_size=80) | st.from_regex(r'[{}\[\]":, a-zA-Z0-9\-_.\n]{0,60}'))
def test_every_text_comes_back(small, text):
    """Nothing is lost, whatever a service answers."""
    assert small.tokenizer.decode(small.tokenizer.encode(text)) == text


@pytest.mark.parametrize(
    "value",
    [
        "Ada Tölgyes", "ada@x.example", "AC-218238", "+45 42 54 74 17", "2026-03-24", "612.50",
        "2025-08-29T22:49:00Z", "20342738924", "in_ramN4UUfXvvLZI4fM80OAByw", "#1034", "open",
        "fee81653-41b0-e526-7240-4817be6a7f43", "acme-lab/site", "gid://shopify/Order/6044761",
        "Where is order #1011?", "search_users", "https://x.example/a?b=1", "Zordine handover",
    ],
)  # fmt: skip
def test_a_value_has_the_same_tokens_wherever_it_stands(small, value):
    """A model that copies must meet them again; only a first common word may take its space."""
    tokenizer = small.tokenizer
    alone = tokenizer.encode(value)
    places = [
        f'{{"id":7,"name":"{value}","x":null}}',
        f'{{"query": "{value}"}}',
        f'["{value}","b"]',
        f"<tool_call>call_tool {json.dumps({'arguments': {'a': value}}, ensure_ascii=False)}",
        f"the one called {value}, and",
        f"the one called {value}.\nThen",
        f'the one called "{value}" too',
        f"1. {value}\n2.",
    ]
    for place in places:
        if not (value.islower() and value.isalpha() and f" {value}" in place):
            assert contains(tokenizer.encode(place), alone), place


def test_documents_are_single_tokens_and_results_are_not(small, conversation):
    """What a service answers about a record stays readable piece by piece."""
    for message in conversation:
        if message.role == "tool":
            count = len(small.tokenizer.encode(message.content))
            if message.content.startswith('{"service": "'):
                assert count == 1
            elif message.content.startswith('{"items"'):
                assert count > 50
    rows = re.findall(r'\{"name": "[^{}]*\}', conversation[3].content)
    assert len(rows) == 2
    assert all(len(small.tokenizer.encode(row)) == 1 for row in rows)


def test_values_of_closed_pools_can_be_single_tokens():
    """Where they recur; the same token in a result, an instruction and a call."""
    rows = [
        f'<|im_start|>tool\n{{"email":"ada@x.example","n":"{n:04}","s":"open"}}<|im_end|>'
        for n in range(3)
    ]
    tokenizer = vocabulary.train(rows, 1500, values=8)
    (whole,) = tokenizer.encode("ada@x.example")
    for place in (rows[0], "Mail ada@x.example.", '{"to":"ada@x.example"}'):
        assert whole in tokenizer.encode(place)
        assert tokenizer.decode(tokenizer.encode(place)) == place
    assert whole not in tokenizer.encode("ada@x.examples")
    assert len(tokenizer.encode("0002")) > 1  # seen once: spelt
    assert len(vocabulary.train(rows, 1500).encode("ada@x.example")) > 1


def test_what_a_model_writes_is_never_one_token(small):
    """Documents are read, not written: no call is a macro."""
    call = '<tool_call>describe_tool {"service":"gmail","tool":"search_contacts"}'
    assert 4 < len(small.tokenizer.encode(call)) < 12


def test_numbers_are_cut_into_pairs_of_digits(texts):
    """A value's tokens do not depend on which numbers the texts held, and each is met often."""
    tokenizer = vocabulary.train(texts, 4096)
    assert all(len(tokenizer.encode(f"{n:02}")) == 1 for n in range(100))
    assert len(tokenizer.encode("20342738924")) == 6


def test_what_recurs_is_not_spelt(texts):
    """A sentence that conversations end with, and what ids and addresses have in common."""
    said = "<|im_start|>assistant\nAll settled, kindly.<|im_end|>"
    rows = [*texts, *[said] * 5]
    tokenizer = vocabulary.train(rows, 4096)
    assert len(tokenizer.encode("All settled, kindly.")) == 5
    ids = [f"gid://shop/Order/{n} ada@x.example" for n in range(3)]
    row = "".join(f"<|im_start|>tool\n{each}<|im_end|>" for each in ids)
    parts = [vocabulary.train([*texts, row], 4096).encode(each) for each in ids]
    assert len({part[0] for part in parts}) == 1
    assert len(parts[0]) == 7


@pytest.mark.parametrize("size", [300, 512, 2000])
def test_a_vocabulary_keeps_to_its_size(texts, size):
    """At most half of it are documents, and those that save most."""
    tokenizer = vocabulary.train(texts, size)
    assert len(tokenizer) <= size
    assert len(vocabulary.document_ids(tokenizer)) <= size // 2
    assert tokenizer.decode(tokenizer.encode(texts[0])) == texts[0]


def test_the_catalogue_makes_every_tool_a_token():
    """Also those that no training task uses."""
    found = list(tiny.catalogue(["linear"]))
    tokenizer = vocabulary.train(found, 1500)
    answers = [m for text in found for m in re.findall(r"tool\n(.*?)<\|im_end\|>", text, re.S)]
    described = [each for each in answers if '"input_schema"' in each]
    assert len(described) > 10
    assert all(len(tokenizer.encode(each)) == 1 for each in described)


# -- the model ---------------------------------------------------------------------------------


def test_a_build_depends_on_its_arguments_alone(texts):
    """Same weights, same tokens; the global random state stays as it was."""
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    first = tiny.build(texts, seed=3, vocabulary=600, layers=1, hidden=32)
    assert torch.equal(torch.rand(1), expected)
    second = tiny.build(iter(texts), seed=3, vocabulary=600, layers=1, hidden=32)
    other = tiny.build(texts, seed=4, vocabulary=600, layers=1, hidden=32)
    assert same(first.model, second.model)
    assert first.tokenizer.get_vocab() == second.tokenizer.get_vocab()
    assert not same(first.model, other.model)


def test_a_saved_model_comes_back(small, tmp_path, conversation, tools):
    """With its template, from a folder like any other."""
    small.save(tmp_path / "m")
    again = load(str(tmp_path / "m"), trainable=True)
    assert again.template.name == "compact"
    assert same(small.model, again.model)
    assert masks.rows(conversation, tools, again) == masks.rows(conversation, tools, small)
    assert again.model.training
    assert all(p.requires_grad for p in again.model.parameters())
    frozen = load(str(tmp_path / "m"), template="chatml")
    assert frozen.template.name == "chatml"
    assert not frozen.model.training
    assert not any(p.requires_grad for p in frozen.model.parameters())


def test_an_adapter_is_loaded_on_its_model(small, tmp_path):
    """Trainable or not; and only the adapter is."""
    from peft import LoraConfig, get_peft_model

    small.save(tmp_path / "m")
    base = load(str(tmp_path / "m"))
    adapted = get_peft_model(base.model, LoraConfig(r=2, target_modules=["q_proj"]))
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_B" in name:
                weight.fill_(0.1)
    adapted.save_pretrained(str(tmp_path / "a"))
    again = load(str(tmp_path / "m"), adapter=tmp_path / "a", trainable=True)
    trained = [name for name, weight in again.model.named_parameters() if weight.requires_grad]
    assert trained
    assert all("lora" in name for name in trained)
    ids = torch.tensor([[5, 6, 7]])
    alone = load(str(tmp_path / "m")).model(ids).logits
    fixed = load(str(tmp_path / "m"), adapter=tmp_path / "a")
    assert not torch.equal(fixed.model(ids).logits, alone)
    assert not any(weight.requires_grad for weight in fixed.model.parameters())
    with pytest.raises(UsageError, match=r"adapter .* cannot be loaded"):
        load(str(tmp_path / "m"), adapter=tmp_path / "none")


def test_a_model_that_is_not_there_is_an_error_for_people(tmp_path, monkeypatch):
    """It names the embedded ones, which always are."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UsageError, match="tiny, smollm2"):
        load(str(tmp_path))


def test_a_pretrained_model_takes_documents_as_tokens(texts, tools, conversation):
    """Shorter by far, the same text; new rows are halves of old ones, and not all alike."""
    plain = tiny.build(texts[:0], seed=1, vocabulary=1500, layers=1, hidden=32)
    before = masks.rows(conversation, tools, plain)[0]
    old = plain.model.get_input_embeddings().weight.detach().clone()
    longer = extend(plain, texts, most=40)
    after = masks.rows(conversation, tools, longer)[0]
    assert len(after.input_ids) < len(before.input_ids) / 2
    assert longer.tokenizer.decode(after.input_ids) == longer.tokenizer.decode(before.input_ids)
    weight = longer.model.get_input_embeddings().weight
    assert weight.shape[0] == len(longer.tokenizer) == longer.model.config.vocab_size
    assert torch.equal(weight[: len(old)], old)
    new = weight[len(old) :] * 2
    assert torch.isclose(new[:, None], old[None]).all(dim=2).any(dim=1).all()
    assert len(new.unique(dim=0)) > len(new) / 2


def test_a_model_with_an_adapter_is_not_extended(small, texts):
    """Its base would no longer fit."""
    from copy import deepcopy

    from peft import LoraConfig, get_peft_model

    model = get_peft_model(deepcopy(small.model), LoraConfig(r=2, target_modules=["q_proj"]))
    with pytest.raises(UsageError, match="extend its base"):
        extend(Loaded(model, small.tokenizer, small.template), texts)


def test_a_tiny_model_learns_a_conversation(small, conversation, tools):
    """The mask and the model fit together: the loss on its own turns falls."""
    from copy import deepcopy

    model = deepcopy(small.model).train()
    (row,) = masks.rows([*conversation[:4], conversation[-1]], tools, small)
    ids = torch.tensor([row.input_ids])
    labels = torch.where(torch.tensor([row.assistant_mask]) == 1, ids, -100)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(25):
        loss = model(input_ids=ids, labels=labels).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2


def test_the_default_texts_are_of_no_task(monkeypatch):
    """Catalogue and results, rendered as an agent meets them."""
    compact = find("compact")
    schemas = MetaTools.schemas()
    opening = compact.render([Message(role="system", content="x")], schemas, generation=False)
    found = list(tiny.catalogue(["gmail"]))
    assert opening.partition("\n")[2].removeprefix("x") in found[0]
    assert '"input_schema"' in found[1]


# -- folders that are not what they say --------------------------------------------------------


def _layers(folder, count):
    file = folder / "config.json"
    data = json.loads(file.read_text())
    data |= {"num_hidden_layers": count, "layer_types": ["full_attention"] * count}
    data["max_window_layers"] = count
    file.write_text(json.dumps(data))


@pytest.mark.parametrize("count", [1, 4], ids=["too many weights", "too few"])
def test_weights_of_another_model_are_refused(small, tmp_path, count):
    """Or some would be drawn at random, or left out, without a word."""
    folder = small.save(tmp_path / "model")
    _layers(folder, count)
    with pytest.raises(UsageError, match=r"config\.json beside them"):
        load(str(folder))


@pytest.mark.parametrize("content", [b"", b"\x00" * 40])
def test_torn_weights_are_refused(small, tmp_path, content):
    """A copy that was cut off."""
    folder = small.save(tmp_path / "model")
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(UsageError, match="cannot be loaded"):
        load(str(folder))


def test_a_folder_that_is_not_there_is_no_hub_name(tmp_path):
    """No hub is asked for it."""
    with pytest.raises(UsageError, match="there is no folder"):
        load(str(tmp_path / "nowhere"))


def test_an_adapter_of_another_model_is_refused(small, tmp_path):
    """It would be loaded in part."""
    from peft import LoraConfig, get_peft_model

    whole = small.save(tmp_path / "model")
    config = LoraConfig(r=2, target_modules="all-linear", task_type="CAUSAL_LM")
    get_peft_model(load(str(whole)).model, config).save_pretrained(tmp_path / "adapter")
    assert load(str(whole), adapter=tmp_path / "adapter")
    other = tiny.build(["a b c"], layers=1, hidden=32, vocabulary=300).save(tmp_path / "other")
    with pytest.raises(UsageError, match="adapter"):
        load(str(other), adapter=tmp_path / "adapter")
