"""The templates make packages that work as they are."""

from pathlib import Path

from cookiecutter.main import cookiecutter
from sandbox import OWN, ROOT, Installed, run, wheel_of


def bake(template: str, where: Path, **answers: str) -> Path:
    """A project from one of our templates."""
    folder = cookiecutter(
        str(ROOT / "cookiecutter" / template),
        no_input=True, output_dir=str(where), extra_context=answers,
        default_config={"replay_dir": str(where / "replay"), "cookiecutters_dir": str(where)},
    )  # fmt: skip
    return Path(folder)


def test_a_baked_service_is_listed_checked_tested_and_visited_by_tasks(
    installed: Installed, tmp_path: Path
) -> None:
    summary = 'Claims of "our" clients – open, paid'
    project = bake("service", tmp_path, service="claims_desk", summary=summary)
    installed.install("--no-deps", wheel_of(project, tmp_path / "dist"))
    (row,) = [
        each
        for each in installed.json("services", "list")["services"]
        if each["name"] == "claims_desk"
    ]
    assert row["distribution"] == "compoworld-service-claims-desk"
    assert row["summary"] == summary
    assert row["tools"] == row["deterministic"] == 7
    installed.python("-m", "pytest", "-q", "-p", "no:cacheprovider", project)
    checked = installed.json("services", "check", "claims_desk")
    assert checked == {"checked": 1, "passed": 1, "failures": []}
    assert len(installed.visiting("claims_desk", "linear,zendesk", tmp_path / "run")) == 2


def test_the_card_of_the_template_is_fresh(installed: Installed, tmp_path: Path) -> None:
    project = bake("service", tmp_path, service="fresh_desk")
    installed.install("--no-deps", wheel_of(project, tmp_path / "dist"))
    installed.compoworld("services", "cards", "--check", "compoworld-service-fresh-desk")


def test_a_baked_plugin_passes_its_tests_and_is_found_by_name(
    installed: Installed, tmp_path: Path
) -> None:
    project = bake("plugin", tmp_path)
    installed.install("--no-deps", wheel_of(project, tmp_path / "dist"))
    installed.python("-m", "pytest", "-q", "-p", "no:cacheprovider", project)
    assert "all-but-one" in installed.compoworld("plugins", "list")


def test_baked_projects_keep_our_lint_rules(tmp_path: Path) -> None:
    # but for the order of imports, which depends on whose package is at home
    for template in ("service", "plugin"):
        bake(template, tmp_path)
    run(OWN / "ruff", "check", "--ignore", "I", "--config", ROOT / "pyproject.toml", tmp_path)
