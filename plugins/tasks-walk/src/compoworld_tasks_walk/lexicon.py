"""Lexicon: how people speak of common fields, values, records and tools, as tables.

Services may override nouns and phrases in their own words; these tables serve all others.
"""

from __future__ import annotations

from typing import Final


def _table(text: str) -> dict[str, str]:
    """Lines "key another = value" as a mapping."""
    held: dict[str, str] = {}
    for line in text.strip().splitlines():
        keys, _, value = line.partition(" = ")
        held |= dict.fromkeys(keys.split(), value.strip())
    return held


def _set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


PHRASES: Final = _table("""
sender sender_email from_email from_address from_ source_email from = from {}
sender_name from_name = from {}
recipient to to_email recipients send_to recipient_email = to {}
cc = with {} in copy
bcc = with {} in blind copy
requester requester_email requester_name submitter submitter_email requested_by = from {}
reporter reporter_email reported_by = reported by {}
assignee assignee_email assignee_name assigned_to assignees responsible = assigned to {}
owner owner_email owner_name account_owner deal_owner = owned by {}
author author_email author_name created_by creator creator_email written_by = by {}
modified_by updated_by last_edited_by = last changed by {}
organizer organiser organizer_email host host_email = organised by {}
attendee attendees guest guests invitee participants participant = with {}
account_manager manager manager_email csm = looked after by {}
reviewer reviewer_email reviewers = reviewed by {}
approver approver_email approved_by = approved by {}
customer_email customer_name billing_email billed_to bill_to = billed to {}
receipt_email = with the receipt sent to {}
contact_email contact_name contact = for {}
email email_address mail primary_email = with the email address {}
phone phone_number mobile telephone = with the phone number {}
name full_name display_name real_name = named {}
first_name firstname given_name = with the first name {}
last_name lastname family_name surname = with the last name {}
dealname filename file_name calendar_name label_name = called {}
title page_title headline heading = titled {}
subject = with the subject {}
summary = titled {}
company company_name business_name organization organisation organization_name employer = at {}
vendor supplier vendor_name merchant = from {}
domain website domain_name = with the domain {}
account_no account_number account_code account = on account {}
number = with the number {}
invoice_number invoice_no = about invoice {}
order_number order_no order_name = about order {}
ticket_number case_number = about ticket {}
issue_key issue_number = about issue {}
reference ref_no external_id external_reference reference_number = with the reference {}
sku = with the SKU {}
code coupon_code promo_code = with the code {}
tracking_number tracking_no = with the tracking number {}
serial_number = with the serial number {}
url link web_url = with the link {}
handle username login user_name = with the username {}
status state financial_status fulfillment_status payment_status = with the status {}
stage dealstage pipeline_stage hs_pipeline_stage = in stage {}
lifecyclestage = in lifecycle stage {}
hs_lead_status lead_status = with lead status {}
priority hs_ticket_priority severity urgency = with {} priority
type kind category dealtype event_type = of type {}
segment tier plan = in the {} segment
size = of size {}
role job_role = with the role {}
job_title jobtitle position = working as {}
department team = in {}
industry sector = in {}
city town location room venue = in {}
country region = in {}
language = in {}
tag tags label labels label_names keywords = tagged {}
color colour = in {}
due due_date due_on due_at deadline = due {}
closedate close_date closing_date = closing on {}
date day = of {}
start start_time starts_at start_date start_at = starting {}
end end_time ends_at end_date end_at = ending {}
created created_at created_on createdate created_time creation_date = created on {}
updated updated_at modified modified_at modified_time last_modified = last changed on {}
posted_at sent_at sent = sent on {}
post_at = going out on {}
issued_on issue_date invoice_date = issued on {}
ordered_on order_date ordered_at = ordered on {}
shipped_on shipped_at ship_date = shipped on {}
paid_on paid_at payment_date = paid on {}
renews_on renewal_date current_period_end next_billing_date = renewing on {}
started_on current_period_start = running since {}
hired_on hire_date = hired on {}
signed_up_on signup_date = signed up on {}
evidence_due_by = with evidence due by {}
expires_at expiry expiration_date expiration_time = expiring on {}
timestamp time = of {}
amount total total_price total_amount amount_due price unit_price unit_amount = over {}
refund_amount = with a refund of {}
annual_revenue annualrevenue revenue = with revenue of {}
mrr = worth {} a month
quantity qty = for {} pieces
seats = with {} seats
currency = in {}
rate = at the rate {}
score rating = with the score {}
discount percent_off = with {} off
body text content message description notes note memo comment purpose = saying {}
topic = with the topic {}
section folder notebook = in {}
""")
"""Field → how a description says it of a literal; `{}` is the value."""

REFS: Final = _table("""
customer customer_id customers account_id contact contact_id company company_id client = of {}
organization_id organization organisation_id associatedcompanyid = at {}
hs_primary_associated_company company_ids contact_ids deal_ids = of {}
hubspot_owner_id owner owner_id account_owner_id = owned by {}
assignee assignee_id assigned_to user_id member_id = assigned to {}
requester requester_id submitter_id sender_id user = from {}
author_id author = by {}
created_by creator creator_id = created by {}
channel channel_id folder folder_id parent_id drive_id list_id board_id project = in {}
project_id team team_id data_source_id database_id calendar_id workspace_id section_id = in {}
page_id page parent_page_id document_id file_id = on {}
thread_ts thread_id = in the thread of {}
ticket ticket_id issue issue_id order order_id invoice invoice_id = on {}
ticket_ids payment_intent charge subscription subscription_id = on {}
product product_id price price_id item_id variant_id = for {}
label_ids labels label_id = with the label {}
message_id = of {}
warehouse warehouse_id = on {}
""")
"""Field that names another record → how a description says whose."""

LABELS: Final = _table("""
email email_address mail primary_email = email address
phone phone_number mobile telephone = phone number
account_no account_number account_code = account number
invoice_no invoice_number = invoice number
order_no order_number order_name = order number
external_id = account number
firstname first_name given_name = first name
lastname last_name family_name = last name
full_name real_name display_name name = name
dealname = name
jobtitle job_title = job title
filename file_name = file name
company company_name business_name organization organisation = company
lifecyclestage = lifecycle stage
dealstage hs_pipeline_stage pipeline_stage = stage
hs_lead_status = lead status
hs_ticket_priority = priority
dealtype = deal type
closedate close_date = close date
createdate created created_at created_time created_on = creation date
updated_at modified_time lastmodifieddate last_edited_time updated = date of the last change
due due_date due_on due_at deadline = due date
evidence_due_by = evidence deadline
current_period_end renews_on = renewal date
current_period_start started_on = start date
issued_on = issue date
ordered_on = order date
shipped_on = shipping date
paid_on = payment date
posted_at = posting time
post_at = time of sending
date = date
start start_time starts_at start_at = start time
end end_time ends_at end_at = end time
amount_due = amount due
amount_paid = amount paid
unit_amount unit_price = unit price
refund_amount = refund amount
annualrevenue annual_revenue = annual revenue
numberofemployees = number of employees
mrr = monthly revenue
lifetime_value = lifetime value
sku = SKU
url link web_url = link
html_url = link
label_ids label_names labels = labels
tag tags = tags
cc = copy recipients
to recipients = recipient
percent_off = discount
amount_off = discount
status_text = status text
shared_with = partner company
signed_up_on signup_date = sign-up date
hired_on = hiring date
state = status
id = ID
uncategorized_text = further evidence
in_reply_to = In-Reply-To header
notes = notes
sections section = section
writers_can_share = sharing by editors
auto_suspend = idle time before it suspends
hs_note_body note_body html_body body_text = text
insight = text
""")
"""Field → what people call it."""

ROLES: Final = _table("""
sender sender_email sender_name from_email from_name source_email = sender
recipient recipient_email to_email = recipient
requester requester_email requester_name requested_by = requester
submitter submitter_email = submitter
reporter reporter_email reported_by = reporter
assignee assignee_email assignee_name assigned_to = assignee
owner owner_email owner_name account_owner deal_owner = owner
author author_email author_name = author
creator creator_email created_by = creator
modified_by updated_by last_edited_by = last editor
organizer organiser organizer_email = organiser
host host_email = host
account_manager = account manager
manager manager_email = manager
reviewer reviewer_email = reviewer
approver approver_email approved_by = approver
customer_email customer_name = customer
billing_email bill_to = billing contact
receipt_email = payer
contact contact_email contact_name = contact
attendee guest participant invitee = guest
employee_email employee_name = employee
lead lead_email = lead
""")
"""Field that holds a person by name or address → the person's part in the record."""

PARTIES: Final = _set(
    "contact customer user member employee person lead guest client candidate supplier vendor"
    " company organization organisation account attendee"
)  # fmt: skip
"""Last words of nouns that are somebody."""

FIRMS: Final = _set("company organization organisation account vendor supplier")
"""Those of them that are no single person."""

DEEDS: Final = _table("""
sender = who sent {}
requester submitter = who raised {}
reporter = who reported {}
owner = who owns {}
author = who wrote {}
creator = who created {}
organiser host = who organised {}
last_editor = who last changed {}
assignee = to whom {} is assigned
""")
"""Part in a record → the clause that says it of somebody."""

FLAGS: Final[dict[str, tuple[str, str]]] = {
    "public": ("public", "internal"),
    "private": ("private", "public"),
    "active": ("active", "inactive"),
    "archived": ("archived", "not archived"),
    "trashed": ("trashed", "not trashed"),
    "starred": ("starred", "not starred"),
    "pinned": ("pinned", "not pinned"),
    "resolved": ("resolved", "unresolved"),
    "complete": ("complete", "incomplete"),
    "completed": ("completed", "not completed"),
    "read": ("read", "unread"),
    "draft": ("draft", "final"),
    "locked": ("locked", "unlocked"),
    "suspended": ("suspended", "not suspended"),
    "disabled": ("disabled", "enabled"),
    "enabled": ("enabled", "disabled"),
    "valid": ("valid", "invalid"),
    "paid": ("paid", "unpaid"),
    "recurring": ("recurring", "one-off"),
    "confidential": ("confidential", "not confidential"),
    "published": ("published", "unpublished"),
}
"""Flag → what is said of a record that has it, and of one that has not."""

OWN_KEYS: Final = _set(
    "email email_address name full_name real_name display_name title company_name"
)
"""Fields by which a party is itself meant: "the email from that contact"."""

ADJECTIVES: Final = _set(
    "open closed paid unpaid overdue draft void pending active inactive archived cancelled"
    " confirmed tentative resolved solved urgent delivered shipped returned suspended"
    " published unpublished private public failed completed expired scheduled approved"
    " unfulfilled fulfilled partial started stopped disputed reopened unassigned placed"
    " succeeded unanswered uncollectible enabled disabled refunded rejected recurring canceled"
)
"""Statuses that stand before the noun: "the open invoice"."""

VALUES: Final = _table("""
appointmentscheduled = appointment scheduled
qualifiedtobuy = qualified to buy
presentationscheduled = presentation scheduled
decisionmakerboughtin = decision maker bought in
contractsent = contract sent
closedwon = closed won
closedlost = closed lost
marketingqualifiedlead = marketing qualified lead
salesqualifiedlead = sales qualified lead
newbusiness = new business
existingbusiness = existing business
fileorganizer = file organizer
canceled = cancelled
""")
"""Enum values whose words run together (lower case) → as people write them."""

MAKERS: Final = _table("""
email mail = send
message post = post
comment note insight block reply attachment = add
task reminder = set up
invoice charge = raise
ticket issue case bug = open
refund = issue
meeting event appointment call = book
order booking = place
""")
"""Last word of a noun → the verb that brings a new one about; others are created."""

TOOL_MAKERS: Final = _table("""
draft = draft
schedule = schedule
post = post
send = send
""")
"""Word of a tool's name → the verb for a message, before the noun is asked."""

DROPS: Final = _table("""
cancel = cancel {}
archive = archive {}
unarchive = unarchive {}
void = void {}
finalize finalise = finalise {}
complete finish done = mark {} as done
suspend pause = suspend {}
resume = resume {}
pin = pin {}
unpin = unpin {}
close = close {}
reopen = reopen {}
resolve solve = resolve {}
delete remove drop destroy = delete {}
trash = move {} to the trash
restore untrash = restore {}
star = star {}
unstar = remove the star from {}
lock = lock {}
unlock = unlock {}
publish = publish {}
unpublish = unpublish {}
approve accept = approve {}
reject decline = decline {}
capture = capture {}
fulfill fulfil = fulfil {}
leave = leave {}
join = join {}
enable activate = activate {}
disable deactivate = deactivate {}
merge = merge {}
""")
"""Word of a tool's name → what it does to the record."""

TURNS: Final = _table("""
closed = close {}
cancelled canceled = cancel {}
archived = archive {}
void voided = void {}
resolved = resolve {}
""")
"""Status → what a person says instead of setting it."""

MAIN_TEXT: Final = _set(
    "body text content message comment note html_body insight hs_note_body rich_text"
)
"""Text fields that are the record itself: a comment's body needs no name."""

NAMES: Final = _set(
    "title name subject dealname summary filename file_name page_title label display_name"
    " real_name full_name"
)
"""Fields that name a new record, said first."""

TEXTS: Final = MAIN_TEXT | _set(
    "description notes memo details summary_text purpose topic signature remarks bio about"
    " resolution internal_note status_text further_evidence uncategorized_text"
)
"""Fields that hold free text: a fact is put into them."""
