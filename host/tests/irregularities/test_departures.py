"""Players leave at any moment: the remaining people can finish the round."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.irregularities.departures import Left, finish_without_the_others, rounds_with_departures

MANY = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


@MANY
@given(rounds_with_departures(), st.data())
def test_remaining_people_can_finish_a_round_after_departures(
    left: Left, data: st.DataObject
) -> None:
    end = finish_without_the_others(left, lambda events: data.draw(st.sampled_from(events)))
    assert end.over
