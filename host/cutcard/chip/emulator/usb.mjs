// The host's end of the USB cable: a serial port, as a computer opens one. It waits until it has
// something to send; rp2040js alone answers every read with an empty packet, which costs the
// board's time.
import { USBCDC } from 'rp2040js';

export class UsbCable {
  /** `said(bytes)` is told what the board sends, `plugged()` when its port is there. */
  constructor(usb, said, plugged) {
    this.usb = usb;
    this.cdc = new USBCDC(usb);
    this.waiting = []; // bytes for the board
    this.asked = null; // its read that nobody has answered yet
    this.connected = false;
    this.reads = true;
    this.unread = []; // endpoints whose packet the host has not taken
    this.cdc.onSerialData = said;
    this.cdc.onDeviceConnected = () => {
      this.connected = true;
      plugged();
    };
    const taken = usb.indicateBufferReady.bind(usb);
    usb.indicateBufferReady = (endpoint, out) => {
      if (this.reads || out || endpoint !== this.cdc.inEndpoint) taken(endpoint, out);
      else this.unread.push(endpoint);
    };
    this.taken = taken;
    usb.onEndpointRead = (endpoint, size) => {
      if (endpoint !== this.cdc.outEndpoint) return;
      this.asked = { endpoint, size };
      this.#answer();
    };
  }

  /** A host that does not read takes no packet, and the board waits for room. */
  read(on) {
    this.reads = on;
    if (on) for (const endpoint of this.unread.splice(0)) this.taken(endpoint, false);
  }

  send(bytes) {
    for (const byte of bytes) this.waiting.push(byte);
    this.#answer();
  }

  #answer() {
    if (this.asked === null || !this.waiting.length) return;
    const { endpoint, size } = this.asked;
    this.asked = null;
    this.usb.endpointReadDone(endpoint, Uint8Array.from(this.waiting.splice(0, size)));
  }
}
