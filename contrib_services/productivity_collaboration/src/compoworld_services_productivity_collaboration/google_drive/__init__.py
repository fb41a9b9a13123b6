"""Google Drive: files, folders, who may see them, and comments."""

from compoworld_services_productivity_collaboration.google_drive import (
    seed,
    tools_access,
    tools_documents,
    tools_files,
    tools_listing,
)
from compoworld_services_productivity_collaboration.google_drive.state import (
    DriveState,
    service,
)

__all__ = [
    "DriveState",
    "seed",
    "service",
    "tools_access",
    "tools_documents",
    "tools_files",
    "tools_listing",
]
