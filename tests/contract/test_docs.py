"""The pages cannot go stale: what is made from code is made anew and compared."""

import importlib.util
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "sdk_docs"


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


made = load(DOCS / "reference_pages.py")


@pytest.mark.parametrize("name", sorted(made.PAGES))
def test_a_page_made_from_code_is_up_to_date(name: str) -> None:
    committed = (DOCS / "reference" / name).read_text(encoding="utf-8")
    assert made.PAGES[name]() == committed, "write it anew: make reference"


def test_every_command_has_its_help_and_its_section() -> None:
    page = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    names = []
    for name, command in made.commands():
        names.append(name)
        assert command.help, name
        assert f"\n## {name}\n" in page
    assert {"compoworld tasks generate", "compoworld export sft"} <= set(names)


def test_every_option_says_what_it_does() -> None:
    silent = [
        f"{name} {parameter.opts[0]}"
        for name, command in made.commands()
        for parameter in command.params
        if parameter.param_type_name == "option" and not parameter.help
    ]
    assert silent == []


def test_every_hook_is_in_the_table_with_its_arguments() -> None:
    page = (DOCS / "reference" / "hooks.md").read_text(encoding="utf-8")
    assert made.hooks()
    for name, function in made.hooks().items():
        arguments = ", ".join(inspect.signature(function).parameters)
        assert f"| `{name}({arguments})` |" in page


def test_the_glossary_is_sorted_and_explains_in_a_sentence() -> None:
    assert list(made.TERMS) == sorted(made.TERMS)
    for term, place in made.TERMS.items():
        assert len(made.first_sentence(place)) > len(term)


def test_every_page_is_in_a_table_of_contents() -> None:
    listed = "".join(p.read_text(encoding="utf-8") for p in DOCS.rglob("index.md"))
    for page in DOCS.rglob("*.md"):
        if page.name != "index.md" and "decisions" not in page.parts:
            assert re.search(rf"^(?:[\w-]+/)?{page.stem}$", listed, re.MULTILINE), page


def test_a_link_in_the_readme_names_a_folder_that_is_there() -> None:
    tree = (ROOT / "README.md").read_text(encoding="utf-8").partition("## What is where")[2]
    named = re.findall(r"^([a-z_]+)/ ", tree, re.MULTILINE)
    assert len(named) > 4
    assert [name for name in named if not (ROOT / name).is_dir()] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 120


def test_the_pages_keep_one_sentence_a_line() -> None:
    pages = [ROOT / "README.md", *DOCS.rglob("*.md")]
    for page in pages:
        text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        if made.MADE in text:
            continue
        for line in text.splitlines():
            if not line.lstrip().startswith(("|", "#", "<!--", "1.", "2.")):
                assert not re.search(r"[a-z`)]\. [A-Z`]", line), f"{page.name}: {line}"
