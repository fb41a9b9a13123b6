"""The storybook: all stories, each with openings, what is written about, deeds and reasons."""

from __future__ import annotations

from typing import Final

from compoworld_tasks_walk.plots import Matter, Story


def _story(name: str, openings: str, matters: str, deeds: str) -> Story:
    rows: dict[tuple[str, str], tuple[str, ...]] = {}
    for line in deeds.strip().splitlines():
        archetype, _, rest = line.strip().partition(" ")
        said, _, reasons = rest.partition(" = ")
        for word in said.split():
            rows[archetype, word] = tuple(reasons.strip().split(" | "))
    lines = [line.strip() for line in matters.strip().splitlines()]
    return Story(
        name,
        tuple(line.strip() for line in openings.strip().splitlines()),
        rows,
        tuple(_matter(*lines[place : place + 3]) for place in range(0, len(lines), 3)),
    )


def _matter(head: str, first: str, later: str) -> Matter:
    name, _, kind = head.partition(" = ")
    return Matter(name, "date" if kind == "date" else "money", first, later)


STORIES: Final = (
    _story(
        "damaged delivery",
        """
        {} got a damaged delivery from us and complained, and I want it put right today.
        {} is upset, since the last delivery arrived broken.
        We sent {} damaged goods, and I promised to settle the matter today.
        """,
        """
        replacement date = date
          The replacement will arrive on {}.
          The replacement comes later, it will arrive on {}.
        amount of the damage = money
          The damage comes to {} USD.
          We have looked again: the damage comes to {} USD.
        """,
        """
        order refund = the goods arrived broken | we promised them their money back
        order cancel cancelled = they no longer want it after this
        payment refund under_review = they are right to object
        bill void = nobody should pay for broken goods
        work urgent high = they have waited long enough
        work incident problem = it is not the first time
        work open started = we are on it again
        message pin pinned = everybody should see what happened
        """,
    ),
    _story(
        "renewal",
        """
        {} is up for renewal and I want everything straight before we talk.
        The renewal with {} is due, and a few things have to be in order first.
        I have the renewal call with {} tomorrow and need our records to be ready for it.
        """,
        """
        signing date = date
          We will sign on {}.
          The signing has moved, it is on {} now.
        renewal price = money
          The price for the renewal is {} USD.
          After the call we settled on {} USD for the renewal.
        """,
        """
        deal contractsent = the contract went out this morning
        deal decisionmakerboughtin = their director has agreed
        deal presentationscheduled = we will show them the offer
        deal closedwon = they have agreed to renew
        bill finalize finalise open = they have checked the amounts
        order paid = the payment has arrived
        order fulfill fulfil fulfilled completed complete = it is part of what they renew
        work solved closed close archive archived = it was settled on the phone
        work high urgent = they want it fixed before they sign
        customer open_deal connected = we are in talks with them
        project completed = it was delivered before the renewal
        document active = it counts again from now on
        message pin pinned = we need it at hand for the call
        """,
    ),
    _story(
        "cancellation",
        """
        {} is leaving us at the end of the month.
        {} has given notice, and I'd like to close everything properly.
        We are losing {}, and what is still open with them has to be ended.
        """,
        """
        last day = date
          Our last day with you is {}.
          Correction: our last day will be {}.
        final amount = money
          The final amount to settle is {} USD.
          Please note that the final amount is {} USD.
        """,
        """
        contract cancel canceled = they have given notice
        order cancel cancelled = they don't need it any more
        order refund = they paid for something that they won't use
        payment refund = they paid for a month that they won't use
        bill void = we agreed not to charge them for it
        work solved closed close archive archived = nobody will go on with it
        work low = it has no hurry any more
        meeting cancel delete cancelled = there is nothing left to talk about
        customer unqualified bad_timing active inactive = they are no customer of ours any more
        project canceled paused = it ends with the contract
        document archived done = nobody needs it any more
        reminder complete = it no longer matters
        """,
    ),
    _story(
        "onboarding",
        """
        {} has signed and starts with us this week.
        We are onboarding {}, and some of it got stuck.
        {} is new with us, and I'd like their start to go smoothly.
        """,
        """
        kickoff date = date
          The kickoff is on {}.
          The kickoff has moved to {}.
        setup fee = money
          We agreed on a setup fee of {} USD.
          The setup fee has changed, it is {} USD now.
        """,
        """
        customer connected open_deal in_progress = we have met them by now
        order fulfill fulfil fulfilled completed complete = they need it for the start
        order paid = the first payment has arrived
        bill finalize finalise open = everything is agreed
        work high urgent = they start this week
        work open started = we begin this week
        work task = there is something to do for us
        project started = we begin this week
        document active = they work by it from now on
        message pin pinned = everybody who works with them should see it
        """,
    ),
    _story(
        "billing question",
        """
        {} can't make sense of what we charged them, and I promised an answer today.
        {} thinks that we billed them wrongly, and they are right.
        There is a mix-up in what {} was billed, and I want to clear it up.
        """,
        """
        answer date = date
          We need the answer by {}.
          Small correction: the answer has to be here by {}.
        corrected amount = money
          The amount should have been {} USD.
          I have checked it again, the right amount is {} USD.
        """,
        """
        order refund = we charged them twice | it was billed by mistake
        order cancel cancelled = it was entered twice
        order paid = the payment was booked to another customer
        payment refund under_review = they were charged twice
        bill void = it was made out by mistake
        bill finalize finalise open = the amounts are right now
        work solved closed close = that part is explained by now
        work high urgent = their bookkeeping is waiting for it
        work question = they only want to know
        contract cancel canceled = it was set up twice
        customer in_progress connected = we are talking to them about it
        message pin pinned = we will need it again
        """,
    ),
    _story(
        "overdue payment",
        """
        {} hasn't paid us for two months, and we have to do something about it.
        {} is behind with their payments. I spoke to them and this is what we agreed on.
        The account of {} is overdue and needs some attention.
        """,
        """
        payment date = date
          We will pay on {}.
          It takes longer than I said, we will pay on {}.
        first instalment = money
          The first instalment will be {} USD.
          We can do {} USD as the first instalment.
        """,
        """
        order cancel cancelled = they can't pay for it
        order paid = that payment came in this morning
        bill finalize finalise open = they have to pay it now
        bill void = it is replaced by a new one
        contract cancel canceled = they haven't paid for it in months
        work pending on-hold waiting = it waits until they have paid
        work low = they have to pay first
        customer bad_timing unqualified = they can't buy at the moment
        document hold = it waits until they have paid
        meeting cancel delete cancelled = they asked for more time
        """,
    ),
    _story(
        "outage",
        """
        {} was hit hard by last night's outage, and we owe them some follow-up.
        Last night's outage stopped {} for hours, and some of it is not settled yet.
        {} couldn't work during the outage, and I want to make up for it.
        """,
        """
        maintenance date = date
          The maintenance is planned for {}.
          The maintenance had to be moved to {}.
        agreed credit = money
          We agreed on a credit of {} USD.
          After the call we settled on a credit of {} USD.
        """,
        """
        work urgent high = they can't work properly yet
        work incident problem = the outage caused it
        work solved closed close = it works again since this morning
        order refund = they couldn't use it
        order cancel cancelled = it was placed twice during the outage
        payment refund under_review = they paid for a service that was down
        bill void = we don't charge for the outage
        meeting cancel delete cancelled = our people are busy with the repairs
        message pin pinned = everybody on call should read it
        document active = we follow it from now on
        """,
    ),
    _story(
        "expansion",
        """
        {} wants to buy more from us, and I'd like to move quickly.
        Good news: {} is growing and needs more from us.
        {} is opening a second office and will order more.
        """,
        """
        start date = date
          The new plan should start on {}.
          The start has moved, it is on {} now.
        new budget = money
          The new budget is {} USD.
          The budget was raised, it is {} USD now.
        """,
        """
        deal qualifiedtobuy = their budget is approved
        deal contractsent = the offer went out this morning
        deal presentationscheduled = they want to see the larger plan
        deal decisionmakerboughtin = their director has agreed
        customer open_deal connected in_progress = we are talking about a larger plan
        order fulfill fulfil fulfilled completed complete = they need it for the new office
        order paid = the payment has arrived
        bill finalize finalise open = they have agreed to it
        work high urgent = it holds up the new office
        work solved closed close = the new plan covers it
        project started planned = it is part of the larger plan
        document active = it holds for both offices
        message pin pinned = the whole team should see it
        """,
    ),
    _story(
        "late delivery",
        """
        {} is still waiting for a delivery, and I want to make it good.
        The delivery for {} is late, and we have to put things in order.
        We let {} down with a late delivery, and I want to fix what we can.
        """,
        """
        new delivery date = date
          The delivery is now planned for {}.
          I have to correct myself: the delivery will be on {}.
        agreed discount = money
          We agreed on a discount of {} USD.
          They asked for more, the discount is {} USD now.
        """,
        """
        order fulfill fulfil fulfilled = the goods left this morning
        order refund = it comes too late for them
        order cancel cancelled = it comes too late for them
        order completed complete = they still want it
        payment refund = it came too late for them
        bill void = we send a new one with the goods
        bill finalize finalise open = the goods are on their way
        work urgent high = they are losing patience
        work problem incident = other customers wait as well
        work solved closed close = the goods arrived today
        work pending waiting on-hold = we wait for the carrier
        message pin pinned = we promised something in it
        """,
    ),
    _story(
        "account review",
        """
        I'm going through the account of {} before I hand it over to a colleague.
        We have our yearly review of {} and I want the records to be right.
        I'm taking over {} from a colleague, and some of the records are behind.
        """,
        """
        next review date = date
          The next review is on {}.
          The review has moved, it is on {} now.
        agreed amount = money
          We agreed on {} USD.
          After the call we settled on {} USD.
        """,
        """
        deal closedlost = that fell through weeks ago
        deal closedwon = they signed last week
        deal contractsent qualifiedtobuy = nobody had updated it
        customer connected in_progress = I have spoken to them by now
        order paid = the payment arrived last week
        order fulfill fulfil fulfilled completed complete = it went out last week
        bill finalize finalise open = it should have gone out last week
        bill void = it was replaced last week
        work solved closed close archive archived = it was dealt with last week
        work low = it has no hurry
        work high = it has been left for too long
        document done archived = it is out of date
        project completed = it was finished last week
        reminder complete = it was dealt with last week
        """,
    ),
)  # fmt: skip
