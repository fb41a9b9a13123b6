"""The hooks are a contract: their names, their arguments, and that none decides."""

import inspect

from compoworld_core import hookspecs, plugins

HOOKS = {
    "observe": ["event"],
    "register_commands": ["register"],
    "register_executors": ["register"],
    "register_policies": ["register"],
    "register_rewards": ["register"],
    "register_sandboxes": ["register"],
    "register_services": ["register"],
    "register_simulators": ["register"],
    "register_task_generators": ["register"],
    "register_trainers": ["register"],
    "register_users": ["register"],
    "register_verifiers": ["register"],
}


def specs() -> dict[str, object]:
    marked = f"{hookspecs.PROJECT}_spec"
    return {name: f for name, f in vars(hookspecs).items() if hasattr(f, marked)}


def test_the_hooks_and_their_arguments_are_these() -> None:
    found = {name: list(inspect.signature(f).parameters) for name, f in specs().items()}  # type: ignore[arg-type]  # functions by construction
    assert found == HOOKS


def test_no_hook_decides() -> None:
    for name, function in specs().items():
        options = getattr(function, f"{hookspecs.PROJECT}_spec")
        assert not options["firstresult"], name
        assert not options["historic"], name
        assert inspect.signature(function).return_annotation == "None", name  # type: ignore[arg-type]  # as above


def test_every_hook_is_documented() -> None:
    assert [name for name, function in specs().items() if not function.__doc__] == []


def test_every_registering_hook_has_a_registry() -> None:
    assert set(plugins.KINDS) == {name for name in HOOKS if name != "observe"}
    found = plugins.load(installed=False)
    for hook in plugins.KINDS:
        assert found.registry(hook).kind == plugins.KINDS[hook][0]
