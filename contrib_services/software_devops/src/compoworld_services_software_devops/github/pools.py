"""Words and texts that seeded repositories, issues and reviews are made of."""

from __future__ import annotations

REPOSITORIES = (
    ("storefront", "Web shop and checkout", "TypeScript"),
    ("billing-api", "Invoices, payments and refunds", "Python"),
    ("mobile-app", "Apps for customers", "Kotlin"),
    ("data-pipeline", "Nightly loads into the warehouse", "Python"),
    ("infra", "Clusters, networks and alerts", "HCL"),
    ("handbook", "How we work", "Markdown"),
    ("partner-sdk", "Client library for partners", "Go"),
    ("notifications", "Mail, push and text messages", "Go"),
    ("search-service", "Index and ranking", "Rust"),
    ("design-system", "Components and tokens", "TypeScript"),
    ("auth-gateway", "Sign-in and tokens", "Rust"),
    ("reporting", "Dashboards and exports", "Python"),
    ("warehouse-sync", "Stock levels from the depots", "Java"),
    ("support-bot", "Answers for the help desk", "Python"),
    ("release-tools", "Scripts around releases", "Shell"),
    ("pricing-engine", "Rules for discounts", "Java"),
)
EXTENSIONS = {"TypeScript": "ts", "Python": "py", "Kotlin": "kt", "HCL": "tf", "Markdown": "md",
              "Go": "go", "Rust": "rs", "Java": "java", "Shell": "sh"}  # fmt: skip
TOPICS = ("backend", "frontend", "internal", "payments", "data", "docs", "library", "mobile")
LABELS = ("bug", "enhancement", "documentation", "question", "good first issue", "security",
          "customer", "performance", "regression", "needs triage")  # fmt: skip
PROBLEMS = (
    "{thing} fails with a timeout",
    "{thing} shows the wrong total",
    "{thing} ignores the time zone",
    "Crash when {thing} is empty",
    "Add a filter to {thing}",
    "Document how {thing} works",
    "{thing} is slow with many rows",
    "Retry {thing} after a network error",
    "Duplicate entries in {thing}",
    "Translate {thing}",
    "{thing} loses the last page",
    "Rate limit for {thing}",
)
THINGS = ("checkout", "CSV export", "invoice list", "password reset", "webhook delivery",
          "search page", "order import", "sign-in", "address form", "stock report",
          "refund dialog", "mail template", "dashboard", "API token page", "nightly load",
          "price list", "audit log", "file upload", "calendar view")  # fmt: skip
BODIES = (
    "Steps to repeat it: open the page, press save, wait.",
    "Reported by {name} ({email}).",
    "{company} asked for this in the last call.",
    "Seen since {day}. The log shows nothing unusual.",
    "This blocks {company}. Please answer {name} at {email}.",
    "We should decide this before {day}.",
    "Only happens with large accounts.",
    "A refund of {amount} USD was affected.",
)
REMARKS = (
    "I can repeat this.",
    "Fixed on the branch, please test.",
    "{name} from {company} confirmed that it works now.",
    "Needs a decision first.",
    "Moved to the next release.",
    "Thanks, that helped.",
    "Could you add a test?",
    "Same on the staging system since {day}.",
)
CHANGES = ("Fix {thing}", "Refactor {thing}", "Add tests for {thing}", "Speed up {thing}",
           "Update texts of {thing}", "Handle errors in {thing}")  # fmt: skip
VERDICTS = {
    "APPROVED": ("Looks good.", "Good to go.", "Nice and small."),
    "CHANGES_REQUESTED": ("Please add a test.", "This misses the empty case."),
    "COMMENTED": ("One question inside.", "Did you measure it?"),
}
CHECKS = ("build", "unit tests", "lint", "deploy preview")
