// One stream of events for all tabs of this browser. It notices within a second that nothing comes.
const STALE = 800, LOOK = 100; // milliseconds
const ports = new Set();
const tables = new Map();
let state = "waiting", heard = 0, source = null, about = {};

function post(message) {
  for (const port of ports) port.postMessage(message);
}

function set(next) {
  if (state === next) return;
  state = next;
  post({ state });
}

function alive() {
  heard = performance.now();
  set("live");
}

function keep(message) {
  const before = tables.get(message.table)?.lines || [];
  tables.set(message.table, { ...message, lines: [...before, ...message.lines].slice(-60) });
}

function open() {
  if (source) source.close();
  source = new EventSource("api/events");
  source.addEventListener("pit", (event) => {
    const pit = JSON.parse(event.data);
    about = { version: pit.version, certificates: pit.certificates, gamingDay: pit.gaming_day };
    tables.clear();
    for (const table of pit.tables) keep(table);
    alive();
    post({ pit: [...tables.values()], ...about });
  });
  source.addEventListener("table", (event) => {
    const message = JSON.parse(event.data);
    keep(message);
    alive();
    post({ change: message });
  });
  source.addEventListener("beat", alive);
  source.onerror = () => {
    set("stale");
    if (source.readyState === EventSource.CLOSED) {
      source = null;
      post({ closed: true });
    }
  };
}

setInterval(() => {
  if (source && performance.now() - heard > STALE) set("stale");
}, LOOK);

self.onconnect = (event) => {
  const port = event.ports[0];
  ports.add(port);
  port.onmessage = ({ data }) => {
    if (data === "open") {
      if (!source) open();
      port.postMessage({ state });
      if (state !== "waiting") port.postMessage({ pit: [...tables.values()], ...about });
    } else if (data === "again") open();
    else if (data === "end") {
      if (source) source.close();
      source = null;
      tables.clear();
      state = "waiting";
    } else if (data === "bye") ports.delete(port);
  };
};
