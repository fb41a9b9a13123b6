"""Seeded issues, pull requests, reviews and comments."""

from __future__ import annotations

from compoworld_services_software_devops.github import pools
from compoworld_services_software_devops.github.drawing import Seeder, pick, slug
from compoworld_services_software_devops.github.history import branch_of, commit_of, file_of
from compoworld_services_software_devops.github.state import (
    Issue,
    IssueComment,
    PullRequest,
    Review,
    ReviewComment,
    StatusCheck,
)


def _number(draw: Seeder) -> int:
    draw.ctx.skip_numbers("number", draw.rng.randint(0, 3))
    return draw.ctx.next_number("number")


def issues(draw: Seeder) -> None:
    rng = draw.rng
    for _ in range(draw.share(38, 6)):
        repository = rng.choice(draw.made["repositories"])
        opened = draw.instant()
        state = pick(rng, {"open": 6, "closed": 4})
        ended = draw.instant(after=opened) if state == "closed" else None
        own = [m for m in draw.made["milestones"] if m.repo == repository.name]
        workers = rng.sample(draw.staff, pick(rng, {0: 3, 1: 5, 2: 1}))
        number = _number(draw)
        draw.made["issues"].append(
            Issue(
                id=number,
                owner=repository.owner,
                repo=repository.name,
                number=number,
                title=draw.title(),
                body=draw.text(pools.BODIES),
                state=state,
                user=rng.choice([*draw.staff, *draw.outside]).login,
                assignees=tuple(user.login for user in workers),
                labels=tuple(sorted(rng.sample(pools.LABELS, pick(rng, {0: 2, 1: 5, 2: 3})))),
                milestone=rng.choice(own).number if own and rng.random() < 0.3 else None,
                created_at=opened,
                updated_at=ended or draw.instant(after=opened),
                closed_at=ended,
            )
        )


def pulls(draw: Seeder) -> None:
    rng = draw.rng
    for n in range(draw.share(7, 2)):
        repository = rng.choice(draw.made["repositories"])
        main = next(
            b for b in draw.made["branches"] if b.repo == repository.name and b.name == "main"
        )
        start = next(c for c in draw.made["commits"] if c.id == main.sha)
        files = {f.id: f for f in draw.made["files"]}
        tree = {files[key].path: files[key] for key in start.tree}
        title = draw.text(pools.CHANGES)
        name = f"{slug(title)}-{n + 1}"
        extension = pools.EXTENSIONS[repository.language]
        path = f"src/{slug(title)}-{n + 1}.{extension}"
        if draw.scale >= 100 and rng.random() < 0.3:
            path = rng.choice(sorted(tree))
        tree[path] = file_of(draw, repository, name, path)
        opened = draw.instant(after=start.date)
        sha = commit_of(draw, repository, name, title, tree, (start.id,), opened)
        branch_of(draw, repository, name, sha)
        state = pick(rng, {"open": 7, "closed": 3})
        number = _number(draw)
        pull = PullRequest(
            id=number,
            owner=repository.owner,
            repo=repository.name,
            number=number,
            title=title,
            body=draw.text(pools.BODIES),
            state=state,
            draft=state == "open" and rng.random() < 0.15,
            user=rng.choice(draw.staff).login,
            head=name,
            base="main",
            created_at=opened,
            updated_at=draw.instant(after=opened),
            closed_at=draw.instant(after=opened) if state == "closed" else None,
        )
        verdicts = _reviews(draw, pull, sha, path)
        if main.protected and verdicts != {"APPROVED"}:
            pull = pull.model_copy(update={"mergeable_state": "blocked"})
        draw.made["pull_requests"].append(pull)


def _reviews(draw: Seeder, pull: PullRequest, sha: str, path: str) -> set[str]:
    """Reviews and checks of a pull request; returns the verdicts other than comments."""
    rng = draw.rng
    verdicts: set[str] = set()
    for reviewer in rng.sample(draw.staff, min(len(draw.staff), rng.randint(0, 2))):
        if reviewer.login == pull.user:
            continue
        state = pick(rng, {"APPROVED": 5, "CHANGES_REQUESTED": 2, "COMMENTED": 3})
        verdicts.add(state)
        review = Review(
            id=draw.ctx.new_id("PRR_kwDO", length=10),
            owner=pull.owner,
            repo=pull.repo,
            pull_number=pull.number,
            user=reviewer.login,
            state=state,
            body=rng.choice(pools.VERDICTS[state]),
            commit_id=sha,
            submitted_at=draw.instant(after=pull.created_at),
        )
        draw.made["reviews"].append(review)
        if state != "APPROVED":
            draw.made["review_comments"].append(
                ReviewComment(
                    id=draw.ctx.new_id("PRRC_kwDO", length=10),
                    owner=pull.owner,
                    repo=pull.repo,
                    pull_number=pull.number,
                    review=review.id,
                    user=reviewer.login,
                    path=path,
                    position=rng.randint(1, 4),
                    body=draw.text(pools.REMARKS),
                    created_at=review.submitted_at,
                )
            )
    for context in rng.sample(pools.CHECKS, rng.randint(0, 2)):
        state = pick(rng, {"success": 7, "failure": 2, "pending": 1})
        draw.made["status_checks"].append(
            StatusCheck(
                id=draw.ctx.new_id("SC_kwDO", length=10),
                owner=pull.owner,
                repo=pull.repo,
                sha=sha,
                context=context,
                state=state,
                description=f"{context}: {state}",
                created_at=pull.created_at,
            )
        )
    return verdicts - {"COMMENTED"}


def comments(draw: Seeder) -> None:
    rng = draw.rng
    counts: dict[str, int] = {}
    for _ in range(draw.share(18, 3)):
        issue = rng.choice(draw.made["issues"])
        counts[issue.id] = counts.get(issue.id, 0) + 1
        draw.made["issue_comments"].append(
            IssueComment(
                id=draw.ctx.new_id("IC_kwDO", length=10),
                owner=issue.owner,
                repo=issue.repo,
                issue_number=issue.number,
                user=rng.choice([*draw.staff, *draw.outside]).login,
                body=draw.text(pools.REMARKS),
                created_at=draw.instant(after=issue.created_at),
            )
        )
    draw.made["issues"] = [
        issue.model_copy(update={"comments": counts[issue.id]}) if issue.id in counts else issue
        for issue in draw.made["issues"]
    ]
