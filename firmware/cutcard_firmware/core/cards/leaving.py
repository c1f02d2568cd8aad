"""Count a card that has left through the mouth out of the machine, and report it."""

from ..schema import messages as m
from ..storage import state as st
from ..devices.sensors import FOREIGN


def is_of_pack(face, deck):
    """Return whether a code is a card of the pack; a pack of 48 has no tens."""
    return face < 52 and (deck == 52 or face % 13 != 9)


def leave(device, faces, together):
    """Count the cards of one passage out of the machine, and report them."""
    state = device.state
    count = len(faces)
    device.cards_out += count
    if device.emptying:
        device.drained += count
    state.set(st.SUPPLY, max(state.get(st.SUPPLY) - count, 0))
    if not state.get(st.PACK):
        return
    state.add(st.OUTSIDE, count)
    state.add(st.DEALT, count)
    if not device.emptying:
        _dealt(device, faces, together)
        if not state.get(st.ARMED):
            device.open_gate(0)  # before the commit, which takes time, and not after it
    device.write_down()


def _dealt(device, faces, together):
    state = device.state
    armed = state.get(st.ARMED)
    state.set(st.ARMED, max(armed - len(faces), 0))
    if len(faces) > 1:
        known = 0 if together else 1
        device.fault("simultaneous-draw", known << 8 | len(faces), faces)
        return
    face = faces[0]
    if not is_of_pack(face, state.get(st.DECK)):
        device.fault("unreadable-card", face if face >= FOREIGN else FOREIGN)
        return
    if state.get(st.BURNING):
        state.add(st.BURNING, -1)
        device.emit("burned", 1)
        return
    flags = 0 if armed else m.UNCALLED
    if state.get(st.ROUND):
        flags |= m.FIRST_OF_ROUND
        state.set(st.ROUND, 0)
    device.emit("card", face, flags)
