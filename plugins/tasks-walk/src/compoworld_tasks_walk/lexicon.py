"""Lexicon: how people speak of common fields, values, records and tools, as tables.

Services may override nouns and phrases in their own words; these tables serve all others.
"""

from __future__ import annotations

from typing import Final


def table(text: str) -> dict[str, str]:
    """Lines "key another = value" as a mapping."""
    held: dict[str, str] = {}
    for line in text.strip().splitlines():
        keys, _, value = line.partition(" = ")
        held |= dict.fromkeys(keys.split(), value.strip())
    return held


def members(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


PHRASES: Final = table("""
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
abandoned_checkout_url checkout_url = with the checkout link {}
po_number purchase_order = with the purchase order number {}
stage dealstage pipeline_stage = in stage {}
lifecyclestage = in lifecycle stage {}
lead_status = with lead status {}
priority ticket_priority severity urgency = with {} priority
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

REFS: Final = table("""
customer customer_id customers account_id contact contact_id company company_id client = of {}
organization_id organization organisation_id associatedcompanyid = at {}
primary_associated_company company_ids contact_ids deal_ids = of {}
owner owner_id account_owner_id = owned by {}
assignee assignee_id assigned_to user_id member_id = assigned to {}
requester requester_id submitter_id sender_id user = from {}
author_id author = by {}
created_by creator creator_id = created by {}
channel channel_id folder folder_id parent_id drive_id list_id board_id project = in {}
project_id team team_id team_ids data_source_id database_id calendar_id calendar = in {}
workspace_id section_id repo repository repository_id = in {}
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

LABELS: Final = table("""
email email_address mail primary_email = email address
phone phone_number mobile telephone = phone number
account_no account_number account_code = account number
invoice_no invoice_number = invoice number
order_no order_number order_name = order number
external_id = account number
identifier = number
firstname first_name given_name = first name
lastname last_name family_name = last name
full_name real_name display_name name = name
dealname = name
jobtitle job_title = job title
filename file_name = file name
company company_name business_name organization organisation = company
lifecyclestage = lifecycle stage
dealstage pipeline_stage = stage
ticket_priority = priority
dealtype = deal type
product_type = product type
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
mergeable_state = merge status
mrr = monthly revenue
lifetime_value = lifetime value
sku = SKU
po_number = purchase order number
abandoned_checkout_url checkout_url = checkout link
cancel_reason = cancellation reason
financial_status = payment status
fulfillment_status = fulfilment status
head = source branch
base = target branch
starts_on = start date
ends_on = end date
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
note_body html_body body_text = text
insight = text
""")
"""Field → what people call it."""

ROLES: Final = table("""
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

NOUNS: Final = table("""
block = paragraph
ticket_comment issue_comment = comment
order_position = order line
""")
"""Nouns that only their makers use → what people say."""

PARTIES: Final = members(
    "contact customer user member employee person lead guest client candidate supplier vendor"
    " company organization organisation account attendee"
)  # fmt: skip
"""Last words of nouns that are somebody."""

FIRMS: Final = members("company organization organisation account vendor supplier")
"""Those of them that are no single person."""

DEEDS: Final = table("""
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

CONTAINERS: Final = members(
    "repository calendar team project database source folder list board channel warehouse"
    " cycle label milestone branch drive workspace section notebook mailbox"
)  # fmt: skip
"""Last words of nouns whose name follows the noun at once: the calendar "Team"."""

OWN_KEYS: Final = members(
    "email email_address name full_name real_name display_name title company_name"
)
"""Fields by which a party is itself meant: "the email from that contact"."""

ADJECTIVES: Final = members(
    "open closed paid unpaid overdue draft void pending active inactive archived cancelled"
    " confirmed tentative resolved solved urgent delivered shipped returned suspended"
    " published unpublished private public failed completed expired scheduled approved"
    " unfulfilled fulfilled partial started stopped disputed reopened unassigned placed"
    " succeeded unanswered uncollectible enabled disabled refunded rejected recurring canceled"
    " voided authorized invited incomplete merged blocked"
)
"""Statuses that stand before the noun: "the open invoice"."""

CLAUSES: Final = table("""
in_progress = that is [in progress]
requires_payment_method = that [requires a payment method]
requires_action = that [requires action]
requires_confirmation = that [requires confirmation]
requires_capture = that [is still to be captured]
needs_response warning_needs_response = that [needs a response]
under_review warning_under_review = that is [under review]
processing = that is [being processed]
won = that was [won]
lost = that was [lost]
partially_refunded = that was [partially refunded]
partially_paid = that was [partially paid]
partially_fulfilled = that was [partially fulfilled]
""")
"""Status → the clause that says it; in brackets what stands for the value."""

JOINED: Final = table("""
on_hold on-hold = on-hold
past_due = past-due
trialing = trial
invoice_sent = invoiced
""")
"""Statuses of two words that stand before the noun with a hyphen."""

VALUES: Final = table("""
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
mid_market = mid-market
smb = small-business
""")
"""Enum values whose words run together (lower case) → as people write them."""

MAIN_TEXT: Final = members(
    "body text content message comment note html_body insight note_body rich_text"
)
"""Text fields that are the record itself: a comment's body needs no name."""

NAMES: Final = members(
    "title name subject dealname summary filename file_name page_title label display_name"
    " real_name full_name"
)
"""Fields that name a new record, said first."""

TEXTS: Final = MAIN_TEXT | members(
    "description notes memo details summary_text purpose topic signature remarks bio about"
    " resolution internal_note status_text further_evidence uncategorized_text"
)
"""Fields that hold free text: a fact is put into them."""
