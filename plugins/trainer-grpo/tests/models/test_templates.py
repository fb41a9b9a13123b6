"""Templates: what they render, what they read back, and how they are found."""

import json
import sys
from types import SimpleNamespace

import pytest
from compoworld_trainer_grpo.templates.known import bound, find, recognise
from compoworld_trainer_grpo.templates.template import Template

from compoworld_core import compose
from compoworld_core.errors import PluginError, UnknownName, UsageError
from compoworld_core.meta import MetaTools
from compoworld_core.records import Message, ToolCall

ALL = ("compact", "chatml", "qwen3", "qwen3-training")
KEPT = ("compact", "chatml", "qwen3-training")
TURNS = {
    "call": Message(
        role="assistant",
        tool_calls=(ToolCall(id="call_4", name="list_tools", arguments='{"service":"gmail"}'),),
    ),
    "parallel": Message(
        role="assistant",
        content="Both.",
        tool_calls=(
            ToolCall(id="call_4", name="list_services", arguments="{}"),
            ToolCall(id="call_5", name="call_tool", arguments='{"arguments":{"a":"} \\"é"}}'),
        ),
    ),
    "answer": Message(role="assistant", content="Done:\n\n- one {x}\n- “two”"),
    "thought": Message(role="assistant", reasoning_content="Hm.\nWell.", content="Yes."),
}


def written(template, turn):
    """What a model writes to say a turn, up to its end token."""
    before = [Message(role="user", content="x")]
    prompt = template.render(before, (), generation=True)
    whole = template.render([*before, turn], (), generation=False)
    assert whole.startswith(prompt)
    return whole[len(prompt) :]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_a_turn_reads_back_as_it_was(name, turn):
    """Content, reasoning, and the very text of the arguments."""
    template = find(name)
    assert template.parse(written(template, turn), number=4) == turn


@pytest.mark.parametrize("name", ALL)
def test_what_follows_the_end_is_dropped(name):
    """A sampler may have drawn more than the turn."""
    template = find(name)
    text = written(template, TURNS["call"]) + "<|im_start|>user\nYou are wrong."
    assert template.parse(text, number=4) == TURNS["call"]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("chatml", '<tool_call>\n{"name": "call_tool", "arguments": {"a"}}', "are not JSON"),
        ("chatml", "<tool_call>list_services", "no tool ''"),
        ("chatml", '<tool_call>{"name": "list_tools", "arguments": {"a": 1, "a": 2}}', "twice"),
        ("chatml", '<tool_call>[1]</tool_call>', "no tool ''"),
        ("chatml", '<tool_call>{"name": "list_tool", "arguments": {}}', "Closest: list_tools"),
        ("compact", '<tool_call>list_tools {"service":', "are not JSON"),
        ("compact", "<tool_call>list_tools", "service: missing"),
        ("compact", "<tool_call>list_tools [1]", "must be a JSON object"),
        ("compact", '<tool_call>lst_tools {"service":"a"}', "no tool 'lst_tools'"),
    ],
)  # fmt: skip
def test_a_malformed_call_is_told_to_the_model(name, text, told):
    """Never dropped in silence, never repaired: the environment answers it."""
    (call,) = find(name).parse(text + "<|im_end|>").tool_calls
    answer = MetaTools(compose("gmail", scale=20)).dispatch(call.name, call.arguments)
    assert answer.is_error
    assert told in answer.text


def test_a_call_with_its_keys_in_another_order_is_a_call():
    """JSON objects have no order."""
    text = '<tool_call>{"arguments": {"service": "é"}, "name": "list_tools"}</tool_call>'
    (call,) = find("qwen3").parse(text).tool_calls
    assert (call.name, call.arguments) == ("list_tools", '{"service": "é"}')


def test_a_lone_surrogate_is_no_crash():
    """No file could hold it."""
    assert find("compact").parse("a\ud800b").content == "a?b"


@pytest.mark.parametrize("name", KEPT)
def test_a_kept_prefix_is_kept(conversation, tools, name):
    """Each beginning of a conversation renders as the beginning of the whole."""
    template = find(name)
    assert template.prefix_preserving
    whole = template.render(conversation, tools, generation=False)
    for end in range(2, len(conversation)):
        if conversation[end].role != "tool":  # parallel observations share a frame
            assert whole.startswith(
                template.render(conversation[:end], tools, generation=False)
            )


def test_qwen3_strips_past_thinking_and_says_so():
    """Its training variant does not."""
    said = [
        Message(role="user", content="a"),
        TURNS["thought"],
        Message(role="user", content="b"),
    ]
    assert not find("qwen3").prefix_preserving
    assert "Well." not in find("qwen3").render(said, (), generation=True)
    assert "Well." in find("qwen3-training").render(said, (), generation=True)


@pytest.mark.parametrize("name", KEPT)
def test_the_continuation_is_what_lies_between_two_turns(conversation, tools, name):
    """Prompt, turns and continuations make up the rendered whole, character by character."""
    template = find(name)
    turns = [i for i, message in enumerate(conversation) if message.role == "assistant"]
    text = template.render(conversation[: turns[0]], tools, generation=True)
    for turn, after in zip(turns, [*turns[1:], None], strict=True):
        prompt = template.render(conversation[:turn], tools, generation=True)
        whole = template.render(conversation[: turn + 1], tools, generation=False)
        text += whole[len(prompt) :].partition(template.end)[0] + template.end
        if after is not None:
            text += template.continuation(conversation[:after], tools)
    assert template.render(conversation, tools, generation=False).startswith(text)


def test_a_template_that_changes_the_past_has_no_continuation(conversation, tools):
    """Appending tokens would show the model another past than it was trained on."""
    with pytest.raises(UsageError, match="qwen3-training"):
        find("qwen3").continuation(conversation[:4], tools)


def test_compact_leaves_nothing_out(tools):
    """Every name, type and description of the schemas stands in the system message."""
    text = find("compact").render(
        [Message(role="system", content="S"), Message(role="user", content="U")],
        tools,
        generation=False,
    )
    for tool in tools:
        function = tool["function"]
        (line,) = (ln for ln in text.splitlines() if ln.startswith(f"{function['name']}("))
        assert line.endswith(function["description"]) or "<|im_end|>" in line
        for name, schema in function["parameters"]["properties"].items():
            assert f"{name}: {schema['type']} = {schema['description']}" in line


def test_compact_marks_what_may_be_left_out():
    """A question mark, as in a signature."""
    given = {
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "required": ["a"],
    }
    tool = {"function": {"name": "f", "description": "D.", "parameters": given}}
    text = find("compact").render([Message(role="user", content="U")], [tool], generation=False)
    assert "f(a: string; b?: integer): D." in text


@pytest.mark.parametrize("name", ALL)
def test_arguments_as_objects_are_rendered_too(name):
    """Exports have them either way."""
    function = {"name": "list_tools", "arguments": {"service": "gmail"}}
    chat = {"role": "assistant", "content": None, "tool_calls": [{"function": function}]}
    (call,) = find(name).parse(written(find(name), chat)).tool_calls
    assert json.loads(call.arguments) == {"service": "gmail"}


# -- how they are found ------------------------------------------------------------------------


def test_an_unknown_name_lists_the_closest():
    """A mistyped name costs one more try."""
    with pytest.raises(UnknownName, match="Closest: compact"):
        find("compct")


def test_a_template_of_anybody_is_named_by_its_module(monkeypatch):
    """The documented hook."""
    mine = Template("mine", "{{ messages[0].content }}", True, end="")
    monkeypatch.setitem(sys.modules, "mine", SimpleNamespace(MINE=mine, WRONG="x"))
    assert find("mine:MINE") is mine
    with pytest.raises(UsageError, match="is a str"):
        find("mine:WRONG")
    with pytest.raises(PluginError, match="no_such_module"):
        find("no_such_module:X")


def test_a_template_of_a_distribution_is_named_by_its_entry_point(monkeypatch, tmp_path):
    """The other documented hook."""
    mine = Template("mine", "{{ messages[0].content }}", True, end="")
    info = tmp_path / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[compoworld.templates]\nhouse = mine:MINE\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "mine", SimpleNamespace(MINE=mine))
    assert find("house") is mine
    with pytest.raises(UnknownName, match="Closest: house"):
        find("hause")


@pytest.mark.parametrize(
    ("text", "name"),
    [("compact", "compact"), ("chatml", "chatml"), ("qwen3", "qwen3-training")],
)
def test_a_model_s_own_template_is_recognised(with_text, text, name):
    """By its text; what strips past thinking is trained with the variant that keeps it."""
    assert recognise(with_text(find(text).jinja), "m").name == name


def test_templates_of_trl_are_read_by_its_parsers(with_text):
    """Qwen3.6, the paper's model: calls as nested tags, arguments as an object only."""
    from trl.chat_template_utils import qwen3_6_chat_template

    template = recognise(with_text(qwen3_6_chat_template), "m")
    assert template.prefix_preserving
    assert template.objects
    (call,) = template.parse(written(template, TURNS["call"])).tool_calls
    assert (call.name, json.loads(call.arguments)) == ("list_tools", {"service": "gmail"})
    (call,) = template.parse("<tool_call>\n<function=list").tool_calls
    assert "list" in call.arguments


@pytest.mark.parametrize("name", ["qwen2_5", "llama3_1"])
def test_templates_that_write_anything_are_given_arguments_as_an_object(with_text, name):
    """Or their filter would write a text in quotes, which no such model has ever seen."""
    from trl import chat_template_utils

    jinja = getattr(chat_template_utils, f"{name}_chat_template")
    template = recognise(
        with_text(jinja, "<|eot_id|>" if "llama" in name else "<|im_end|>"), name
    )
    assert '{"service": "gmail"}' in written(template, TURNS["call"])


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("glm4moe", "not all turns end with"),
        ("gptoss", "not all turns end with"),
        ("gemma4_v5", "not all turns end with"),
        ("nemotron_3_nano", r"shown to begin with .*<think>\\n', and is .*<think></think>"),
        ("deepseekv3", "TRL cannot read"),
        ("muse_glimmer", "TRL cannot read"),
    ],
)
def test_families_of_trl_that_cannot_be_trained_are_refused_where_they_are_loaded(
    with_text, name, why
):
    """And not by the first row, or by a model that never learns to stop."""
    from trl import chat_template_utils

    jinja = getattr(chat_template_utils, f"{name}_chat_template")
    with pytest.raises(UsageError, match=f"(?s){why}.*--set template="):
        recognise(with_text(jinja, "<|return|>"), name)


@pytest.mark.parametrize(
    ("jinja", "why"),
    [
        (None, "brings no chat template"),
        ("{% for m in messages %}{{ m.content }}{% endfor %}", "does not show tool calls"),
        (
            "{% for m in messages %}{{ m.content }}{{ m.tool_calls }}{% endfor %}",
            "TRL cannot read",
        ),
    ],
)
def test_an_unknown_template_says_what_to_do(with_text, jinja, why):
    """Instead of training on a guess."""
    with pytest.raises(UsageError, match=f"(?s){why}.*--set template="):
        recognise(with_text(jinja), "m")


def test_a_refusal_by_the_template_is_an_error_for_people(small):
    """Not a traceback of Jinja."""
    template = bound(Template("strict", "{{ raise_exception('no') }}", True), small.tokenizer)
    with pytest.raises(UsageError, match="'strict' refuses the conversation: no"):
        template.render([Message(role="user", content="x")], (), generation=False)
