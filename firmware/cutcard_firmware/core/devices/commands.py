"""The commands that a host may give a device, and the refusals.

A question changes nothing. A command is checked, recorded, committed and only then carried out; a
refused command has changed nothing.
"""

import gc
import struct

from ..schema import messages as m
from ..storage import state as st
from .device import EMPTY, IN_FAULT, LABORATORY, READY, Device
from ..module_loading import forget, forget_update, load_update, sweep_often
from ..random.source import NoiseFailure

MAP_PAGE = 128  # bytes of the map of spared blocks in one reply
NO_ROOM = 4  # result of an attestation that finds no memory
NO_MEMORY = 26  # "memory" among manifest.REASONS, which is not loaded then


class Refusal(Exception):
    """A refused command: the error's name and its two numbers are sent to the host."""

    def __init__(self, error, a=0, b=0):
        self.error = error
        self.a = a
        self.b = b


class HostedDevice(Device):
    """The part of a device that faces the host; `Device` is the part that faces the machine."""

    way_out: tuple[str, ...] = ("recover",)  # commands that a device in a fault obeys

    def passed(self):
        """Return the counts of cards or presses that passed through the device since its start."""
        raise NotImplementedError

    def start(self, job):
        """Continue the work that a command has begun."""
        raise NotImplementedError

    def receive(self, data):
        self.link.receive(data)

    def provisioned(self, key):
        """Accept the key of a new device; its owner confirms that it is empty."""
        self.emit("started", self.state.get(st.BOOTS), self.board.cause)
        self.commit()
        self._keep(key)
        if self.source.failed:
            self.fault("random-source")
        self._first_look()
        self._show()

    def _keep(self, key):
        from ..image import identity

        try:
            identity.give_key(self.board.root, key)
        except OSError as error:
            raise st.StorageFull(str(error))
        finally:
            forget("image.identity", "image.refused")

    def session_began(self, entropy):
        self._send_after(0)
        try:
            if not self.source.failed:
                self.source.mix(entropy)
        except NoiseFailure:
            self.fault("random-source")

    def obey(self, payload):
        """Carry out one command; return the reply's payload."""
        identity = op = 0
        try:
            identity, op, ack = m.unpack_command(payload)
            self.state.acknowledge(ack)
            row = m.COMMANDS.get(op)
            if row is None:
                raise Refusal("unknown-command", op)
            if self.spec.KIND not in row[1]:
                raise Refusal("other-device", m.KINDS.index(self.spec.KIND))
            arguments = m.unpack(row[2], payload, m.ARGUMENTS)
            if op in m.UPDATES:
                return m.pack_reply(identity, m.layout(row[3]), self._update(row[0], arguments))
            if m.is_question(op):
                result = getattr(self, "cmd_" + row[0])(**arguments)
                return m.pack_reply(identity, m.layout(row[3]), result)
            last = self.state.get(st.LAST_COMMAND)
            if identity == last and last:
                return struct.pack("<IB", identity, 0)
            if identity != last + 1:
                raise Refusal("stale-command", last)
            if row[0] == "witnessed":
                return self._act(identity, *self._unwrapped(arguments))
            return self._act(identity, row[0], arguments)
        except ValueError:
            refusal = Refusal("malformed", op)
        except Refusal as error:
            refusal = error
        return struct.pack("<IBII", identity, m.ERROR[refusal.error], refusal.a, refusal.b)

    def _unwrapped(self, said):
        """Return the numbered command that a host sent together with its journal's head."""
        op = said["op"]
        row = m.COMMANDS.get(op)
        if row is None:
            raise Refusal("unknown-command", op)
        if self.spec.KIND not in row[1]:
            raise Refusal("other-device", m.KINDS.index(self.spec.KIND))
        if m.is_question(op) or row[0] == "witnessed":
            raise ValueError("witnessed")
        return row[0], m.unpack(row[2], said["arguments"]), said["head"]

    def _act(self, identity, name, arguments, head=b""):
        """Check the command, change the state, commit, and return the reply. No motor moves before
        that."""
        if self.state.get(st.MODE) == IN_FAULT and name not in self.way_out:
            raise Refusal("in-fault", self.state.get(st.FAULT), self.state.get(st.DETAIL))
        if self.state.get(st.MODE) == LABORATORY and name != "laboratory":
            raise Refusal("wrong-mode", LABORATORY)
        mark = self.state.mark()
        length = len(self.outbox)
        try:
            then = getattr(self, "cmd_" + name)(**arguments)
            if head:
                self.state.bear_witness(head)
            reply = struct.pack("<IB", identity, 0)
            self.state.set(st.LAST_COMMAND, identity)
            self.commit()
        except (st.StorageFull, st.StateLost, NoiseFailure) as error:
            self.state.back(mark)
            self.outbox = self.outbox[:length]
            if isinstance(error, st.StorageFull):
                raise Refusal("storage-full")
            cause = "state-lost" if isinstance(error, st.StateLost) else "random-source"
            self.fault(cause)
            raise Refusal("in-fault", m.FAULT[cause])
        if then is not None:
            self.start(then)
        self._show()
        return reply

    def _update(self, name, arguments):
        if self.update is None:
            self.walk = None  # no block may be erased as free while files are being written
            gc.collect()  # the modules loaded next need contiguous memory
            sweep_often(True)
        try:
            result = load_update(self.board.breathe).obey(self, name, arguments)
        except MemoryError:
            self.update = None
            forget_update()
            raise Refusal("image-refused", NO_MEMORY)
        finally:
            sweep_often(False)
        if result[:1] == ("refused",):
            raise Refusal(*result[1:])
        return result

    # Questions

    def cmd_counters(self):
        gc.collect()
        free = gc.mem_free() if hasattr(gc, "mem_free") else 0
        block = _largest_block()
        gc.collect()
        link = self.link
        passed_in, passed_out = self.passed()
        return (
            link.splitter.dropped,
            link.forged,
            link.replayed,
            link.malformed,
            free,
            block,
            passed_in,
            passed_out,
        )

    def cmd_acknowledge(self):
        return ()

    def cmd_resend(self, after):
        self._send_after(after)
        return ()

    def _send_after(self, last):
        """Send the stored events with higher numbers, unless the state cannot be committed."""
        self.outbox = []
        try:
            self.commit()
        except st.StorageFull:
            return
        number = self.state.get(st.LAST_EVENT) - len(self.state.events)
        for payload in self.state.events:
            number += 1
            if number > last:
                self.link.push_event(number, payload)

    # Attestation

    def cmd_challenge(self, nonce):
        """Begin a new walk over the flash. Its code is in memory only during the walk."""
        try:
            from ..image.attest import attest

            chip = self._begin_walk()
            self.walk = attest(chip, self.link.key, nonce, self.attestation)
            return (chip.blocks,)
        except MemoryError:
            self._walked(NO_ROOM)
            return (0,)

    def cmd_scrub(self):
        """Begin to erase free blocks, as soon as no job is active."""
        if self.state.get(st.ARMED):
            raise Refusal("still-armed", self.state.get(st.ARMED))
        if self.update is not None:
            # A file that is being written owns blocks that only its writer knows of.
            self.update.drop()
            self.update = None
            forget_update()
        try:
            from ..image.attest import scrub

            self.walk = scrub(self._begin_walk(), self.attestation, self.board.breathe)
        except MemoryError:
            self._walked(NO_ROOM)

    def _begin_walk(self):
        self.attestation = [0, 0, bytes(32), b""]
        return self.board.chip()

    def walk_on(self):
        try:
            self.walk.send(None)
        except StopIteration:
            self._walked(self.attestation[0])
        except (MemoryError, OSError):
            self._walked(NO_ROOM)

    def _walked(self, outcome):
        self.attestation[0] = outcome
        self.walk = None
        forget("image.attest")

    def cmd_attested(self):
        return self.attestation[:3]

    def cmd_spared(self, page):
        return (self.attestation[3][page * MAP_PAGE : (page + 1) * MAP_PAGE],)

    def _restart_source(self):
        """Restart the source after a failure, or after a laboratory has seen its output."""
        if not self.source.failed and not self.state.get(st.EXPORTED):
            return
        try:
            self.source.restart()
        except NoiseFailure:
            raise Refusal("in-fault", m.FAULT["random-source"], 0)
        finally:
            forget("devices.laboratory", "random.known_answer")
        self.state.set(st.EXPORTED, 0)

    def require_mode(self, *modes):
        """Refuse the command in any other mode."""
        mode = self.state.get(st.MODE)
        if mode not in modes:
            raise Refusal("wrong-mode", mode)

    # Laboratory mode

    def require_at_rest(self):
        """Refuse unless the device is at rest and has no offers, as laboratory mode requires."""
        mode = self.state.get(st.MODE)
        if mode not in (EMPTY, READY) or self.state.get(st.INTENT):
            raise Refusal("wrong-mode", mode)

    def cmd_laboratory(self, enters):
        if enters > 3:
            raise ValueError
        if enters == 2:  # start the board anew
            self._in_laboratory("restart")
            return
        if enters:
            self.require_at_rest()
            if enters == 1:
                self.first_noise = bytearray()
            elif not self.first_noise:
                raise Refusal("laboratory-only", self.state.get(st.MODE))
            from . import laboratory

            laboratory.enter(self)
            return
        self._in_laboratory("leave")
        forget("devices.laboratory", "random.known_answer")

    def cmd_raw_noise(self, size):
        return self._given_out("noise", size)

    def cmd_raw_output(self, size):
        return self._given_out("output", size)

    def cmd_scaled_draws(self, span, number):
        return self._given_out("draws", span, number)

    def _given_out(self, name, *arguments):
        try:
            return self._in_laboratory(name, *arguments)
        except NoiseFailure:
            self.fault("random-source")
            raise Refusal("in-fault", m.FAULT["random-source"])

    def _in_laboratory(self, name, *arguments):
        if self.state.get(st.MODE) != LABORATORY:
            raise Refusal("laboratory-only", self.state.get(st.MODE))
        from . import laboratory

        return getattr(laboratory, name)(self, *arguments)


def _largest_block():
    """Return the largest power of two that fits into a free block of memory, at most 4096.

    This is enough to see that frames fit. The fragmentation of memory is a trace of the machine's
    work on bins, so no more of it is reported.
    """
    size = 4096
    while size > 64:
        try:
            bytearray(size)
            return size
        except MemoryError:
            size //= 2
    return size
