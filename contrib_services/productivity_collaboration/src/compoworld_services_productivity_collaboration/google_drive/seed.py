"""A plausible drive: policies, manuals, contracts, price lists and notes of an office."""

from __future__ import annotations

from datetime import datetime, timedelta

from compoworld_core import Context, Table
from compoworld_core.context import DIGITS, MIXED
from compoworld_services_productivity_collaboration.google_drive.state import (
    DOCUMENT,
    SHEET,
    SLIDES,
    Comment,
    DriveState,
    File,
    Folder,
    Permission,
    Profile,
    Reply,
    Role,
    SharedDrive,
    service,
)
from compoworld_services_productivity_collaboration.google_drive.writings import Writer, Writing

_TOP = (
    "Policies", "Manuals", "Contracts", "Price lists", "Meeting notes", "Plans", "Customers",
    "Archive",
)  # fmt: skip
_KINDS = {
    "doc": (DOCUMENT, ""),
    "sheet": (SHEET, ""),
    "slides": (SLIDES, ""),
    "pdf": ("application/pdf", ".pdf"),
    "txt": ("text/plain", ".txt"),
    "md": ("text/markdown", ".md"),
    "csv": ("text/csv", ".csv"),
}
_LARGEST_FOLDER = 30
"""Files in one folder: a listing of it fits into one answer."""


class _Office:
    """Fills folders with documents."""

    def __init__(self, ctx: Context, scale: int) -> None:
        self.ctx, self.rng, self.cast, self.scale = ctx, ctx.rng, ctx.cast, scale
        self.me = self.cast.staff[0]
        self.writer = Writer(ctx.rng, ctx.cast)
        self.drives: list[SharedDrive] = []
        self.folders: list[Folder] = []
        self.files: list[File] = []
        self.shares: list[Permission] = []
        self.comments: list[Comment] = []
        self.names: dict[str, int] = {}
        self.open: dict[str, Folder] = {}
        self.held: dict[str, int] = {}

    def furnish(self) -> None:
        """Shared drives and top folders."""
        names = ["Company", "Operations"] if self.scale >= 60 else ["Company"]
        for name, role in zip(names, ("writer", "reader"), strict=False):
            self.drives.append(
                SharedDrive(
                    id=self.ctx.new_id("0A", length=17, alphabet=MIXED),
                    name=name,
                    role="reader" if role == "reader" else "writer",
                    created_time=self.cast.today - timedelta(days=400),
                )
            )
        wanted = _TOP if self.scale >= 60 else _TOP[:3]
        for n, name in enumerate(wanted):
            self.open[name] = self._folder(name, self.drives[0] if n in (0, 1) else None)

    def file_away(self, topic: str, writing: Writing) -> None:
        """Put a document into its topic's folder; a full folder gets a successor."""
        rng = self.rng
        folder = self.open.get(topic)
        author = self.me if rng.random() < 0.6 else rng.choice(self.cast.staff)
        if folder is not None and folder.drive_id is None and author is not self.me:
            folder = None  # what others share stands in their own folders
        if folder is not None and self.held.get(folder.id, 0) >= _LARGEST_FOLDER:
            count = sum(1 for row in self.folders if row.name.startswith(topic)) + 1
            drive = next((d for d in self.drives if d.id == folder.drive_id), None)
            folder = self.open[topic] = self._folder(f"{topic} {count}", drive)
        if author is self.me and folder is None and self.held.get("root", 0) >= _LARGEST_FOLDER:
            folder = self.open.get("Archive")
        if folder is not None or author is self.me:
            place = folder.id if folder else "root"
            self.held[place] = self.held.get(place, 0) + 1
        mime_type, ending = _KINDS[writing.kind]
        shared_drive = folder.drive_id if folder else None
        made, changed = self._times()
        row = File(
            id=self.ctx.new_id("1", length=32, alphabet=MIXED),
            name=self._unique(writing.name, ending),
            mime_type=mime_type,
            parent_id=folder.id if folder else None,
            drive_id=shared_drive,
            owner=None if shared_drive else author.email,
            description=writing.description if rng.random() < 0.6 else "",
            starred=rng.random() < 0.06,
            trashed=rng.random() < 0.03,
            created_time=made,
            modified_time=changed,
            modified_by=rng.choice(self.cast.staff).email
            if rng.random() < 0.3
            else author.email,
            size=len(writing.text.encode()) + (0 if ending else 4096),
            content=writing.text,
            writers_can_share=rng.random() < 0.9,
            copy_requires_writer_permission=rng.random() < 0.04,
        )
        self.files.append(row)
        self._share(row)
        self._discuss(row)

    def _share(self, row: File) -> None:
        rng = self.rng
        if row.drive_id is None and row.owner != self.me.email:
            role: Role = rng.choice(("reader", "commenter", "writer", "writer"))
            self._permit(row, role, email=self.me.email)
        if rng.random() < 0.25:
            mate = rng.choice(self.cast.staff[1:])
            if mate.email != row.owner:
                self._permit(row, rng.choice(("reader", "writer")), email=mate.email)
        if row.drive_id is None and rng.random() < 0.1:
            self._permit(row, "reader", email=rng.choice(self.cast.customers).email)
        if rng.random() < 0.05:
            self._permit(row, "reader")

    def _permit(self, row: File, role: Role, *, email: str | None = None) -> None:
        self.shares.append(
            Permission(
                id=self.ctx.new_id("", length=20, alphabet=DIGITS),
                file_id=row.id,
                type="user" if email else "anyone",
                role=role,
                email=email,
            )
        )

    def _discuss(self, row: File) -> None:
        rng = self.rng
        if row.mime_type != DOCUMENT or rng.random() > 0.18:
            return
        author, mate = rng.choice(self.cast.staff), rng.choice(self.cast.staff)
        made = row.modified_time - timedelta(hours=rng.randint(1, 40))
        replies: tuple[Reply, ...] = ()
        if rng.random() < 0.4:
            said = self.writer.remark(author)
            replies = (Reply(author=mate.email, content=said, created_time=row.modified_time),)
        self.comments.append(
            Comment(
                id=self.ctx.new_id("AAAA", length=8, alphabet=MIXED),
                file_id=row.id,
                author=author.email,
                content=self.writer.remark(mate),
                resolved=rng.random() < 0.3,
                replies=replies,
                created_time=made,
                modified_time=row.modified_time if replies else made,
            )
        )

    def _folder(self, name: str, drive: SharedDrive | None) -> Folder:
        made, changed = self._times()
        row = Folder(
            id=self.ctx.new_id("1", length=32, alphabet=MIXED),
            name=name,
            drive_id=drive.id if drive else None,
            owner=None if drive else self.me.email,
            created_time=made,
            modified_time=changed,
            modified_by=self.me.email,
        )
        self.folders.append(row)
        return row

    def _times(self) -> tuple[datetime, datetime]:
        made = self.cast.today - timedelta(minutes=self.rng.randint(2000, 130_000))
        left = int((self.cast.today - made).total_seconds() // 60)
        return made, made + timedelta(minutes=self.rng.randint(0, left))

    def _unique(self, name: str, ending: str) -> str:
        """The name, with a number where another file has it already."""
        seen = self.names.get(name, 0) + 1
        self.names[name] = seen
        return f"{name}{ending}" if seen == 1 else f"{name} ({seen}){ending}"


@service.seed
def seed(ctx: Context, scale: int) -> DriveState:
    """A drive of about `scale` records."""
    office = _Office(ctx, scale)
    office.furnish()
    writer, rng = office.writer, ctx.rng
    makers = (
        ("Policies", writer.policy),
        ("Manuals", writer.manual),
        ("Contracts", writer.contract),
        ("Price lists", writer.prices),
        ("Meeting notes", writer.notes),
        ("Plans", writer.plan),
        ("Customers", writer.roster),
    )
    shares = (10, 14, 20, 8, 24, 18, 6)
    for _ in range(4 if scale < 60 else 10):
        office.file_away("Policies", writer.policy())
    room = scale - len(office.folders) - len(office.drives) - 1
    while len(office.files) + len(office.shares) + len(office.comments) < room:
        topic, make = rng.choices(makers, shares)[0]
        office.file_away("" if rng.random() < 0.08 else topic, make())
    me = ctx.cast.staff[0]
    return DriveState(
        profiles=Table([Profile(id=me.email, name=me.name, domain=ctx.cast.company.domain)]),
        drives=Table(office.drives),
        folders=Table(office.folders),
        files=Table(office.files),
        permissions=Table(office.shares),
        comments=Table(office.comments),
    )
