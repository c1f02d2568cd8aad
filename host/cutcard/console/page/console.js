// The console's page. A panel is drawn anew only when what it shows has changed, and whoever has
// the keyboard in it keeps it.
import { announce, ask, signedInAs, signOut, whenSignedOut, whoAmI } from "./asking.js";
import { capital, chips, cited, clock, drawCards, el, money, signed } from "./drawing.js";
import { faultCard, benchPanel, closeButton, otherRulebook } from "./ruling.js";
import { lyingWagers, turnCard, wagerForm } from "./wagers.js";

const main = document.getElementById("main");
const RECORD = 120; // milliseconds that a record of the past is shown when it is replayed
const tables = new Map();
const shown = new Map(); // panel -> what it showed last
let gamingDay = { zone: "UTC", rollover: "06:00" };
let certificates = []; // signed reports on firmware, as the console was given them
let port = null, past = null, timeline = null, lastRoute = "", link = "waiting";

// Panels

function panel(parent, id, key, build) {
  const said = JSON.stringify(key);
  let place = document.getElementById(id);
  if (place && place.parentElement === parent && shown.get(id) === said) return place;
  const focus = place && place.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const scrolled = place?.querySelector("[data-scrolls]")?.scrollTop;
  const typed = [...(place?.querySelectorAll("input[data-key]") || [])].filter((input) => input.type !== "range" && input.value !== input.defaultValue);
  const made = build();
  made.id = id;
  for (const open of place?.querySelectorAll("details[open]") || []) {
    made.querySelector(`details[data-key="${CSS.escape(open.dataset.key)}"]`)?.setAttribute("open", "");
  }
  if (place?.matches("details[open]")) made.setAttribute("open", "");
  for (const input of typed) {
    const same = made.querySelector(`[data-key="${CSS.escape(input.dataset.key)}"]`);
    if (same) same.value = input.value;
  }
  if (place && place.parentElement === parent) place.replaceWith(made);
  else parent.append(made);
  shown.set(id, said);
  if (scrolled !== undefined) made.querySelector("[data-scrolls]")?.scrollTo(0, scrolled);
  if (focus) made.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
  return made;
}

function clear(layout) {
  shown.clear();
  main.replaceChildren();
  main.dataset.layout = layout;
}

// Where we are

const route = () => location.hash.replace(/^#\/?/, "").split("/").map(decoded);
const to = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;

// An address may have been cut off anywhere; what cannot be read is no name of a table.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function crumbs(...parts) {
  const place = document.getElementById("crumbs");
  const made = parts.map(([text, href]) => (href ? el("a", { href }, text) : el("span", { "aria-current": "page" }, text)));
  place.replaceChildren(...made.flatMap((part) => [el("span", { "aria-hidden": "true" }, "/"), part]));
  document.title = [...parts.map(([text]) => text).reverse(), "cutcard console"].join(" · ");
}

async function go() {
  const [where, key, what, number] = route();
  const path = [where, key, what === "round" ? `${what}/${number}` : ""].join("/");
  if (!whoAmI()) return signIn(...(where === "sign-in" ? [key, what] : []));
  if (where === "sign-in") return location.replace("#/"); // a link that somebody sent signs nobody over
  if (path !== lastRoute) {
    clear(where);
    if (lastRoute) main.focus({ preventScroll: true });
    lastRoute = path;
    past = timeline = null;
    if (playing) stopPlaying();
    window.scrollTo(0, 0);
  }
  if (where === "table" && what === "round") return roundPage(key, number || "");
  if (where === "table") {
    if (what === "at") await goBack(key, Number(number));
    else past = null;
    if (path === lastRoute) drawTable(key); // else somebody has gone on meanwhile
    return;
  }
  return drawPit();
}

// Sign-in

whenSignedOut(() => {
  port?.postMessage("end");
  lastRoute = "";
  signIn();
});

function signIn(name = "", passphrase = "") {
  clear("sign-in");
  crumbs(["Sign in"]);
  drawMe();
  const problem = el("p", { class: "down", role: "alert" });
  const form = el(
    "form",
    { class: "panel signin" },
    el("h1", {}, "Sign in"),
    el("label", {}, "Name", el("input", { type: "text", name: "name", autocomplete: "username", required: true, value: name })),
    el("label", {}, "Passphrase", el("input", { type: "password", name: "passphrase", autocomplete: "current-password", required: true, value: passphrase })),
    problem,
    el("button", { class: "main", type: "submit" }, "Sign in"),
    el("p", { class: "small quiet" }, "People are added with ", el("code", {}, "cutcard person add"), "."),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const said = await ask("api/sign-in", Object.fromEntries(new FormData(form)));
    if (!said.ok) {
      problem.textContent = said.why;
      return;
    }
    signedInAs(said);
    listen();
    if (route()[0] === "sign-in") history.replaceState(null, "", "#/");
    go();
  });
  main.append(form);
  if (name && passphrase) form.requestSubmit();
  else form.querySelector("input").focus();
}

function drawMe() {
  const place = document.getElementById("me");
  if (!whoAmI()) return place.replaceChildren();
  const out = el("button", { onclick: async () => { await ask("api/sign-out", {}); signOut(); } }, "Sign out");
  place.replaceChildren(el("span", {}, `${whoAmI().name} · ${whoAmI().jobs.join(", ")}`), out);
}

// The stream

function listen() {
  drawMe();
  if (!port) {
    const worker = new SharedWorker("stream.js", { name: "cutcard" });
    port = worker.port;
    port.onmessage = ({ data }) => heard(data);
    addEventListener("pagehide", () => port.postMessage("bye"));
  }
  port.postMessage("open");
}

async function heard(data) {
  if (data.state) {
    link = data.state;
    const place = document.getElementById("link");
    place.dataset.state = link;
    place.textContent = { live: "live", stale: "stale", waiting: "connecting" }[link];
    document.body.classList.toggle("stale-page", link === "stale");
    if (link === "stale") announce("The console does not answer. What is shown may be out of date.", true);
    else if (link === "live") announce("Connected.");
  }
  if (data.closed && whoAmI()) {
    const said = await ask("api/me");
    if (said.ok && !said.name) signOut();
    else setTimeout(() => whoAmI() && port.postMessage("again"), 400);
  }
  if (data.pit) {
    certificates = data.certificates;
    gamingDay = data.gamingDay;
    tables.clear();
    for (const table of data.pit) tables.set(table.table, table);
    draw();
  }
  if (data.change) {
    const before = tables.get(data.change.table);
    const lines = [...(before?.lines || []), ...data.change.lines].slice(-60);
    tables.set(data.change.table, { ...data.change, lines });
    announceChange(before, data.change);
    draw();
  }
}

let waiting = false;
function draw() {
  if (waiting || !whoAmI()) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    const [where, key, what] = route();
    if (where === "table" && what !== "round") drawTable(key);
    else if (where !== "table" && where !== "sign-in") drawPit();
  });
}

function announceChange(before, now) {
  const [where, key, what] = route();
  const fault = now.picture.machine.fault;
  // A first attempt is not announced: it would replace the fault before a screen reader has read it.
  const attempt = now.live?.question?.attempt?.startsWith("Count did not match") ? now.live.question.attempt : "";
  if (fault && fault !== before?.picture.machine.fault) announce(`${now.picture.name}: the machine stops, ${fault}.`, true);
  else if (where === "table" && key === now.table && attempt && attempt !== before?.live?.question?.attempt) announce(attempt, true);
  else if (where === "table" && key === now.table && what !== "at" && now.lines.length) announce(now.lines.at(-1).text);
}

// The pit

const trouble = (table) => Boolean(table.damage || stopped(table) || table.picture.machine.fault || table.picture.machine.locked || table.live?.question);

const WAITS = { rule: "waits for a ruling", count: "waits for a count", act: "waits for a player", begin: "waits for wagers" };

// A table that did not close and whose program does not answer: it was killed, or its computer stopped.
const stopped = (table) => !table.picture.closed && !table.live?.connected && link === "live";

function health(table) {
  const { picture, live } = table;
  if (table.damage) return ["wrong", "journal damaged"];
  if (stopped(table)) return ["wrong", "not running"];
  if (picture.machine.locked) return ["wrong", "machine locked"];
  if (picture.machine.fault) return ["wrong", picture.machine.fault];
  if (live?.question && live.question.kind !== "begin") return ["ask", WAITS[live.question.kind]];
  if (picture.round?.choices.some((choice) => choice.required)) return ["ask", "waits for a ruling"];
  if (live?.question) return ["ask", WAITS[live.question.kind]];
  if (picture.closed) return ["ended", "ended"];
  return ["ok", live?.closing ? "closing" : "playing"];
}

const tag = (table) => {
  const [kind, text] = health(table);
  return el("span", { class: `tag ${kind}` }, text);
};

function drawPit() {
  const days = gamingDays();
  const [where, wanted] = route();
  const day = where === "day" ? wanted : days[0] || "";
  const isPast = day !== (days[0] || "");
  crumbs(...(isPast ? [["Tables", "#/"], [dateOf(day)]] : [["Tables"]]));
  const all = [...tables.values()].filter((table) => !day || day in table.days || (!isPast && !Object.keys(table.days).length));
  const sum = (name) => all.reduce((total, table) => total + (table.days[day]?.[name] || 0), 0);
  const house = sum("house");
  const figures = [all.length, sum("played"), sum("faults"), house, isPast ? 0 : all.filter(trouble).length];
  panel(main, "pit-head", [figures, day, days, gamingDay], () =>
    el("div", {}, el("h1", {}, "Tables"),
      day ? el("p", { class: "small quiet" }, `Gaming day ${dateOf(day)}, from ${gamingDay.rollover}, ${gamingDay.zone}.`) : null,
      el("dl", { class: "sums" },
        [["tables", figures[0]], ["rounds played", figures[1]], ["machine faults", figures[2]], ["house", signed(house), house < 0 ? "down" : "up"], ["need attention", figures[4]]]
          .map(([name, value, kind]) => el("div", {}, el("dt", {}, name), el("dd", { class: kind }, String(value)))))));
  const grid = panel(main, "pit", "grid", () => el("div", { class: "pit" }));
  for (const tile of [...grid.children]) if (tile.id !== "none" && !all.some((table) => tile.id === `tile-${table.table}`)) { shown.delete(tile.id); tile.remove(); }
  const order = all.sort((a, b) => trouble(b) - trouble(a) || a.picture.closed - b.picture.closed || a.table.localeCompare(b.table));
  for (const table of order) panel(grid, `tile-${table.table}`, [table.picture, table.live, table.damage, day], () => tile(table, day));
  const sorted = order.map((table) => document.getElementById(`tile-${table.table}`));
  if (sorted.some((each, at) => grid.children[at] !== each) && !grid.contains(document.activeElement)) grid.append(...sorted);
  panel(main, "archive", [days, day], () => archive(days, day));
  if (all.length) document.getElementById("none")?.remove();
  else if (link === "live") panel(grid, "none", "none", () => el("p", { class: "panel" }, "No table yet. One that is opened appears here by itself."));
}

// The gaming days of all tables, the latest first.
const gamingDays = () => [...new Set([...tables.values()].flatMap((table) => Object.keys(table.days)))].filter(Boolean).sort().reverse();

const dateOf = (day) => (/^\d{4}-\d\d-\d\d$/.test(day) ? new Date(`${day}T12:00Z`).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" }) : day);

// Links to the other gaming days, each with its own totals.
function archive(days, day) {
  const others = days.filter((each) => each !== day);
  if (!others.length) return el("div", { hidden: true });
  const of = (each, name) => [...tables.values()].reduce((total, table) => total + (table.days[each]?.[name] || 0), 0);
  return el("section", { class: "panel archive" }, el("h2", {}, "Other gaming days"),
    el("ul", {}, others.map((each) => el("li", {}, el("a", { href: each === days[0] ? "#/" : to("day", each), "data-key": `day-${each}` }, dateOf(each)),
      ` ${of(each, "played")} rounds, ${of(each, "faults")} machine faults, house ${signed(of(each, "house"))}`))));
}

function tile(table, day) {
  const { picture } = table;
  const figures = table.days[day] || { house: 0, faults: 0 };
  const round = picture.round;
  const mini = el("div", { class: "mini" },
    round ? [el("div", {}, el("span", { class: "who" }, "Dealer"), drawCards(round.dealer, "Dealer's cards", round.dealer)),
      el("span", { class: "who" }, round.owed ? `waits for ${round.owed}` : round.phase)] : el("span", { class: "who" }, "before the first round"));
  return el("a", { class: `panel tile${health(table)[0] === "wrong" ? " wrong" : ""}`, href: to("table", table.table), "data-key": table.table },
    el("header", {}, el("h2", {}, picture.name || table.table), tag(table)),
    el("p", { class: "small quiet" }, `${picture.table.title || "journal"}`),
    mini,
    el("dl", {},
      el("dt", {}, "Round"), el("dd", {}, round?.number ?? "none"),
      el("dt", {}, "House"), el("dd", { class: figures.house < 0 ? "down" : "up" }, signed(figures.house)),
      el("dt", {}, "Cards in the machine"), el("dd", {}, picture.machine.inside === null ? "to be counted" : `${picture.machine.inside} of ${picture.machine.pack}`),
      el("dt", {}, "Faults"), el("dd", {}, String(figures.faults)),
      el("dt", {}, "Last record"), el("dd", {}, `${picture.n} at ${clock(picture.time)}`)),
    unwitnessed(picture),
    uncertified(picture.machine),
    resuming(table),
    table.damage ? el("p", { class: "down small" }, table.damage) : null);
}

// How to resume a table whose program does not run.
const resuming = (table) => (stopped(table) ? el("p", { class: "down small" }, "The program of this table does not run. To resume it, type: ", el("code", {}, `cutcard table run ${table.folder}`)) : null);

// A console that was given reports names the machines without a passed one.
function uncertified(of) {
  if (!certificates.length || !of.firmware) return null;
  const found = certificateFor(of);
  if (found?.verdict === "pass") return null;
  return el("p", { class: "down small" }, found ? `The certificate of this machine: ${found.verdict}.` : "No certificate for this machine and firmware.");
}

const certificateFor = (of) => certificates.find((each) => each.firmware === of.firmware && each.machine === of.machine);

// The journal's checkpoints do not reach a witness: play continues, and somebody must look.
function unwitnessed(picture) {
  return picture.unwitnessed.map((each) => el("p", { class: "down small" }, `Unwitnessed since ${clock(each.since)} UTC: ${each.witness}`));
}

// One table

let asking = false, again = null; // one moment is asked for at a time, and after it the latest
async function goBack(key, number) {
  if (asking) {
    again = [key, number];
    return;
  }
  asking = true;
  const said = await ask(`api/tables/${encodeURIComponent(key)}/at/${number}`);
  asking = false;
  if (again) {
    const next = again;
    again = null;
    return goBack(...next).then(draw);
  }
  const [, where, what, wanted] = route();
  if (where !== key || what !== "at" || Number(wanted) !== number) return; // gone on since
  past = said.ok ? { key, picture: said } : null;
  if (!said.ok) announce(said.why, true);
}

async function loadTimeline(key, of) {
  const said = await ask(`api/tables/${encodeURIComponent(key)}/timeline`);
  if (said.ok && route()[1] === key) {
    timeline = { key, of, ...said };
    draw();
  }
}

function drawTable(key) {
  const table = tables.get(key);
  if (!table) {
    crumbs(["Tables", "#/"], [key]);
    panel(main, "missing", [key, tables.size], () => el("div", { class: "panel" }, el("h1", {}, key), el("p", {}, tables.size ? "There is no such table here." : "Reading the journal.")));
    return;
  }
  document.getElementById("missing")?.remove();
  const picture = past?.key === key ? past.picture : table.picture;
  crumbs(["Tables", "#/"], [picture.name || key]);
  panel(main, "head", [picture.table, picture.name, health(table), picture.round?.number, table.live?.closing, whoAmI().titles], () => heading(table, picture));
  const desk = panel(main, "desk", "desk", () => el("div", { class: "desk" }, el("div", { id: "left" }), el("div", { id: "right" })));
  const [left, right] = desk.children;
  const then = past?.key === key;
  panel(left, "then", [then, picture.n, picture.time], () => (then ? thenBar(key, picture) : el("div", { hidden: true })));
  const live = then ? null : table.live;
  const nothing = () => el("div", { hidden: true });
  panel(left, "resume", [then, stopped(table)], () => (!then && resuming(table)) || nothing());
  panel(left, "titles", [picture.table.roles, whoAmI().titles], () => otherRulebook(picture) || nothing());
  const now = () => tables.get(key).picture;
  panel(left, "fault", [then, live?.question, picture.machine, picture.round?.choices, whoAmI().titles], () => faultCard({ key, picture, live, then }) || nothing());
  panel(left, "turn", [live?.question, whoAmI().titles], () => turnCard({ key, picture, question: live?.question }) || nothing());
  panel(left, "felt", [picture.round, picture.results], () => felt(picture, desk));
  drawEvening(left, table, picture);
  panel(left, "story", then ? [picture.round?.number, picture.n] : table.lines, () => story(table, picture, then));
  panel(right, "machine", [picture.machine, live?.status, certificates], () => machine(picture.machine, live?.status, picture.table.shuffler));
  panel(right, "wagers", [live?.wagers, whoAmI().titles], () => (live?.wagers ? lyingWagers({ key, picture: now, wagers: live.wagers }) : nothing()));
  panel(right, "wager", [live?.wagers?.boxes, live?.wagers?.bets, whoAmI().titles], () => (live?.wagers && wagerForm({ key, picture: now, wagers: live.wagers })) || nothing());
  panel(right, "money", [picture.cents, picture.house], () => balances(picture));
  panel(right, "meters", [picture.round?.meters, picture.draws], () => meters(picture));
  panel(right, "bench", [live?.bench, whoAmI().titles, picture.table.roles], () => (live?.bench?.length && benchPanel(key, table)) || nothing());
  panel(right, "about", [picture.table, picture.unwitnessed, table.damage], () => about(picture, table));
  const rounds = `${table.picture.round?.number} ${table.picture.played} ${table.picture.faults}`;
  if (!timeline || timeline.key !== key || timeline.of !== rounds) {
    timeline = { ...(timeline?.key === key ? timeline : {}), key, of: rounds };
    loadTimeline(key, rounds);
  }
}

function heading(table, picture) {
  const round = picture.round?.number;
  return el("div", { class: "head" }, el("h1", {}, picture.name || table.table), tag(table),
    el("span", { class: "quiet" }, `${capital(picture.table.game)}, ${picture.table.decks} decks${picture.table.min ? `, ${money(picture.table.min)} to ${money(picture.table.max)}` : ""}`),
    closeButton(table),
    round ? el("a", { class: "button noprint", href: to("table", table.table, "round", round), "data-key": "print" }, `Print round ${round}`) : null);
}

function thenBar(key, picture) {
  return el("div", { class: "then" },
    el("p", {}, el("strong", {}, "The table as it was"), ` after record ${picture.n}, ${clock(picture.time)} UTC`),
    el("a", { class: "button", href: to("table", key), "data-key": "now" }, "Back to now"));
}

let lastCards = {};
function felt(picture) {
  const round = picture.round;
  if (!round) return el("section", { class: "felt", "aria-label": "The table" }, el("p", { class: "nocards" }, "Before the first round."));
  const same = lastCards.round === `${picture.name} ${round.number}`;
  const before = same ? lastCards : {};
  lastCards = { round: `${picture.name} ${round.number}`, dealer: round.dealer };
  const results = picture.results || [];
  const boxes = round.boxes.map((box) => {
    const hands = box.hands.map((hand) => {
      lastCards[hand.place] = hand.cards;
      return el("div", { class: `hand${hand.turn ? " turn" : ""}${hand.gone && !picture.results ? " gone" : ""}` },
        drawCards(hand.cards, `Cards of hand ${hand.place}`, before[hand.place] || []),
        el("p", { class: "total" }, hand.total, hand.turn ? el("span", { class: "unseen" }, " in turn") : null),
        hand.stakes.map((stake) => el("p", { class: "stake" }, chips(stake.cents), `${stake.player} ${money(stake.cents)}`)));
    });
    return el("section", { class: "box", "aria-label": `Box ${box.number}` },
      el("h2", {}, `Box ${box.number}`), el("div", { class: "split" }, hands),
      box.sides.map((side) => el("p", { class: "stake small" }, chips(side.cents), `${box.wagers.length > 1 ? `${side.player}, ${side.bet}` : capital(side.bet)} ${money(side.cents)}`)),
      results.filter((line) => line.box === box.number).map((line) =>
        el("p", { class: "result" }, `${line.bet === "main" ? "" : `${capital(line.bet)} `}${line.cents ? signed(line.cents) : line.result}`)));
  });
  const word = round.owed ? `Waits for ${round.owed}` : capital(round.phase);
  return el("section", { class: "felt", "aria-label": `Round ${round.number}` },
    el("div", { class: "dealer" }, el("h2", {}, "Dealer"), drawCards(round.dealer, "Dealer's cards", before.dealer || []), el("p", { class: "total" }, round.dealer_total)),
    round.ahead.length ? el("div", { class: "dealer" }, el("h2", {}, "Lying out"), drawCards(round.ahead, "Cards that lie out")) : null,
    el("p", { class: "arc" }, `Round ${round.number}. ${word}.`),
    el("div", { class: "boxes" }, boxes));
}

// Built once for a table, so that a hand on the slider keeps it while the table plays on.
let sliding = false, playing = null;

const shownNow = (key) => (past?.key === key ? past : tables.get(key)).picture.n;

// To a moment; a hand on the slider leaves one place behind in the browser's history, not hundreds.
function moveTo(key, n) {
  const place = to("table", key, "at", Math.min(Math.max(1, n), tables.get(key).picture.n));
  if (route()[2] === "at") location.replace(place);
  else location.hash = place;
}

// From the moment that is shown, record by record until now; from now, the round once more.
function play(key) {
  if (playing) return stopPlaying();
  const rounds = (timeline?.key === key && timeline.rounds) || [];
  if (past?.key !== key && rounds.length) moveTo(key, rounds.at(-1).n);
  playing = setInterval(() => {
    const last = tables.get(key).picture.n;
    if (route()[1] !== key || (past && past.picture.n >= last)) stopPlaying();
    else if (past && Number(route()[3]) === past.picture.n) moveTo(key, past.picture.n + 1);
  }, RECORD);
  drawPlaying();
}

function stopPlaying() {
  clearInterval(playing);
  playing = null;
  drawPlaying();
}

function drawPlaying() {
  const button = document.getElementById("play");
  if (button) button.textContent = playing ? "Stop" : "Replay";
}

function evening(key) {
  const go = (n) => moveTo(key, n);
  const slider = el("input", {
    type: "range", min: 1, id: "slider", "aria-label": "Moment of the evening, by record", "data-key": "slider",
    oninput: (event) => go(Number(event.target.value)), onpointerdown: () => { sliding = true; }, onchange: () => { sliding = false; }, onpointerup: () => { sliding = false; },
  });
  const step = (name, label, by) => el("button", { "data-key": name, onclick: () => go(shownNow(key) + by), "aria-label": label }, name === "back" ? "‹" : "›");
  return el("section", { class: "panel time noprint" }, el("h2", {}, "The evening"), el("div", { id: "strip-place" }),
    el("p", { class: "legend small quiet" }, el("i", { class: "up" }), "house won", el("i", { class: "down" }), "house lost", el("i", { class: "fault" }), "with a fault"),
    el("div", { class: "scrub" }, step("back", "One record back", -1), slider, step("on", "One record on", 1), el("button", { id: "play", "data-key": "play", onclick: () => play(key) }, playing ? "Stop" : "Replay"), el("span", { id: "moment", class: "num small quiet" })),
    el("div", { id: "rounds-place" }));
}

function drawEvening(parent, table, picture) {
  panel(parent, "time", table.table, () => evening(table.table));
  const slider = document.getElementById("slider");
  slider.max = table.picture.n;
  if (!sliding) slider.value = picture.n;
  slider.setAttribute("aria-valuetext", `record ${picture.n}, ${clock(picture.time)}, round ${picture.round?.number ?? "none"}`);
  document.getElementById("moment").textContent = `${picture.n} of ${table.picture.n}`;
  const rounds = (timeline?.key === table.table && timeline.rounds) || [];
  const at = rounds.findLastIndex((round) => round.n <= picture.n);
  const begun = Boolean(table.picture.round);
  panel(document.getElementById("strip-place"), "strip", [rounds, at, begun], () => strip(rounds, at, begun));
  panel(document.getElementById("rounds-place"), "rounds", rounds, () => roundLinks(table.table, rounds.filter((round) => round.round)));
}

// It has its place before its bars are there: what stands below would move from under a hand.
function strip(rounds, at, begun) {
  const most = Math.max(1, ...rounds.map((round) => Math.abs(round.house)));
  return el("div", { class: `strip${rounds.length > 80 ? " many" : ""}`, hidden: !begun, "aria-hidden": "true" }, rounds.length < 2 ? null : rounds.map((round, index) =>
    el("i", { class: `${round.faults ? "fault" : !round.came_to ? "open" : round.house >= 0 ? "up" : "down"}${index === at ? " here" : ""}`, style: { height: `${12 + (88 * Math.abs(round.house)) / most}%` } })));
}

function roundLinks(key, rounds) {
  return el("details", { "data-key": "rounds" }, el("summary", { "data-key": "rounds-summary" }, `Rounds (${rounds.length}), ${rounds.filter((round) => round.faults).length} with faults`),
    el("nav", { class: "rounds", "aria-label": "Rounds" }, rounds.map((round) =>
      el("a", { class: `button${round.faults ? " fault" : ""}`, "data-key": `round-${round.round}`, href: to("table", key, "round", round.round), "aria-label": `Round ${round.round}, house ${signed(round.house)}${round.faults ? ", with a fault" : ""}` }, String(round.round)))));
}

const lineOf = (line) => el("li", { class: line.fault ? "fault" : "" }, el("time", {}, clock(line.time)), el("span", {}, line.text, " ", cited(line.rules)));

function story(table, picture, then) {
  const list = el("ol", { class: "story", "data-scrolls": "", tabindex: "0", "aria-label": "What happened, latest first" });
  if (!then) list.append(...[...table.lines].reverse().map(lineOf));
  else if (picture.round?.number) {
    ask(`api/tables/${encodeURIComponent(table.table)}/rounds/${picture.round.number}`).then((said) => {
      if (said.ok) list.append(...said.lines.filter((line) => line.n <= picture.n).reverse().map(lineOf));
    });
  }
  return el("section", { class: "panel noprint" }, el("h2", {}, then ? "What had happened in this round" : "What happened"), list);
}

function machine(of, status, shuffler) {
  const facts = [["Inside", of.inside], ["Outside", of.outside], ["Pack", of.pack], ["State", of.locked ? "locked" : of.fault || "in order"],
    ...(status && of.inside !== null ? [[shuffler === "shoe" ? "In reach" : "In the chute", status.ready], [shuffler === "shoe" ? "Behind them" : "In the bins", status.behind]] : []),
    ...(status ? [["Cards requested", status.armed], ["Random source", status.noise], ["Free memory", status.free_heap ? `${(status.free_heap / 1024).toFixed(1)} KB` : null], ["Invalid messages", status.refused]] : []),
    ["Started", of.boots === 1 ? "once" : `${of.boots} times`], ["Serial", of.serial], ["Firmware", of.firmware && `version ${of.firmware}`]].filter(([, value]) => value !== null && value !== undefined && value !== "");
  return el("section", { class: "panel" }, el("h2", {}, of.machine || "Machine"),
    of.inside === null ? el("p", { class: "small quiet" }, "The machine's own numbers are hidden until a count has matched.") : el("div", { class: "gauge", role: "img", "aria-label": `${of.inside} of ${of.pack} cards are inside` }, el("i", { style: { width: `${of.pack ? (100 * of.inside) / of.pack : 0}%` } })),
    el("dl", { class: "facts" }, facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", { class: name === "Serial" ? "code" : name === "State" && (of.fault || of.locked) ? "down" : "" }, String(value))])),
    certificateOf(of));
}

// The report on this machine with the version that it reports; none of another machine or version.
function certificateOf(of) {
  const found = certificateFor(of);
  if (!of.firmware) return null;
  if (!found) return el("p", { class: "small quiet certificate" }, el("strong", {}, "Certificate: "), `none on file for the ${of.machine} with version ${of.firmware}. The console is given one with --report.`);
  const about = [found.number && `report ${found.number}`, found.date, found.laboratory, `profile ${found.profile}`].filter(Boolean).join(", ");
  return el("p", { class: "small certificate" }, el("strong", {}, "Certificate: "), el("span", { class: found.verdict === "pass" ? "up" : "down" }, found.verdict), `, ${about}.`,
    found.development ? el("span", { class: "down" }, " Signed with a development key, which proves nothing.") : " Signed by the key that the console trusts.");
}

function balances(picture) {
  const rows = [...Object.entries(picture.cents), ["House", picture.house]];
  return el("section", { class: "panel" }, el("h2", {}, "Balance"),
    el("table", {}, el("tbody", {}, rows.map(([name, cents]) =>
      el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: `num ${cents < 0 ? "down" : cents > 0 ? "up" : ""}` }, signed(cents)))))),
    el("p", { class: "small quiet" }, `${picture.played === 1 ? "1 round" : `${picture.played} rounds`} settled, ${picture.void} void. Sum ${signed(rows.reduce((sum, [, cents]) => sum + cents, 0))}.`));
}

function meters(picture) {
  const shows = Object.entries(picture.round?.meters || {});
  if (!shows.length && !picture.draws.length) return el("div", { hidden: true });
  return el("section", { class: "panel" }, el("h2", {}, "Jackpots"),
    el("dl", { class: "facts" }, shows.flatMap(([name, cents]) => [el("dt", {}, name), el("dd", {}, money(cents))])),
    el("ul", { class: "draws" }, picture.draws.toReversed().map((draw) => el("li", { class: "small" },
      `Draw ${draw.counter}, round ${draw.round}, box ${draw.box}: $${draw.amount} for each $1. `,
      draw.why ? el("span", { class: "down" }, draw.why) : el("span", { class: "up" }, "Signed, and follows from the draw before.")))));
}

function about(picture, table) {
  const facts = [["Rules", picture.table.title], ["As of", picture.table.as_of], ["Written by", `cutcard ${picture.table.version}`]];
  return el("section", { class: "panel" }, el("h2", {}, "Journal"),
    el("dl", { class: "facts" }, facts.filter(([, value]) => value).flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, String(value))])),
    unwitnessed(picture),
    table.damage ? el("p", { class: "down" }, table.damage) : el("p", { class: "small quiet" }, "Every record follows from the one before it."));
}

// A round for a dispute

async function roundPage(key, number) {
  crumbs(["Tables", "#/"], [tables.get(key)?.picture.name || key, to("table", key)], [`Round ${number}`]);
  const here = location.hash;
  const said = await ask(`api/tables/${encodeURIComponent(key)}/rounds/${encodeURIComponent(number)}`);
  if (location.hash !== here) return; // gone on since
  if (!said.ok) {
    panel(main, "round", said, () => el("div", { class: "panel" }, el("h1", {}, `Round ${number}`), el("p", {}, said.why)));
    return;
  }
  panel(main, "round", said, () => el("article", { class: "panel" },
    el("div", { class: "row" }, el("h1", {}, `${said.picture.name}, round ${number}`),
      el("span", { class: "row noprint" },
        el("a", { class: "button", href: to("table", key, "at", said.last) }, "On the table"),
        el("button", { class: "main", onclick: () => window.print() }, "Print"))),
    el("p", { class: "quiet" }, `${said.picture.table.title}. ${capital(said.picture.table.game)}, ${said.picture.table.decks} decks. ${said.time.slice(0, 10)}, ${clock(said.time)} UTC. ${capital(said.came_to || "open")}.`),
    felt(said.picture),
    said.picture.results ? el("div", { class: "tablewrap", tabindex: "0", role: "region", "aria-label": "Settlement" }, el("table", {}, el("thead", {}, el("tr", {}, ["Box", "Player", "Wager", "Result", "Rules"].map((name) => el("th", { scope: "col" }, name)), el("th", { scope: "col", class: "num" }, "Net"))),
      el("tbody", {}, said.picture.results.map((line) => el("tr", {}, el("td", {}, String(line.box)), el("td", {}, line.player), el("td", {}, capital(line.bet)), el("td", {}, line.result), el("td", {}, cited(line.rules) || ""), el("td", { class: "num" }, signed(line.cents))))))) : null,
    el("h2", {}, "What happened"),
    el("ol", { class: "story whole" }, said.lines.map(lineOf)),
    el("p", { class: "small quiet" }, `Records ${said.n} to ${said.last} of the journal. Hash of the last: `, el("code", {}, said.hash.match(/.{16}/g).join(" "))),
    el("div", { class: "signature" }, el("span", {}, "For the house"), el("span", {}, "Player"))));
}

// Begin

addEventListener("hashchange", go);
// Past the head of the page and not to another page: the place behind # says which one this is.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
ask("api/me").then((said) => {
  if (said.name) {
    signedInAs(said);
    listen();
  }
  go();
});
