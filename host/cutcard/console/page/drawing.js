// Elements from data. Text is always text: nothing that a journal says becomes markup.
const SUITS = { s: ["♠", "spades"], h: ["♥", "hearts"], d: ["♦", "diamonds"], c: ["♣", "clubs"] };
const RANKS = { A: "ace", T: "ten", J: "jack", Q: "queen", K: "king" };

export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "style") for (const [k, v] of Object.entries(value)) made.style.setProperty(k, v);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

export const money = (cents) => {
  const whole = Math.abs(cents) % 100 === 0;
  const said = (Math.abs(cents) / 100).toLocaleString("en", { minimumFractionDigits: whole ? 0 : 2, maximumFractionDigits: 2 });
  return `${cents < 0 ? "−" : ""}$${said}`;
};

export const signed = (cents) => (cents > 0 ? `+${money(cents)}` : money(cents));
export const clock = (time) => (time ? time.slice(11, 19) : "");
export const cited = (rules) => (rules && rules.length ? el("span", { class: "rules" }, rules.join(", ")) : null);
export const capital = (text) => (text ? text[0].toUpperCase() + text.slice(1) : "");

export function cardName(card) {
  const suit = SUITS[card.slice(-1)];
  const rank = card.slice(0, -1);
  return suit ? `${RANKS[rank] || rank} of ${suit[1]}` : card;
}

export function drawCard(card, fresh) {
  const suit = SUITS[card.slice(-1)];
  const rank = card.slice(0, -1).replace("T", "10");
  const red = suit && "hd".includes(card.slice(-1));
  return el(
    "li",
    { class: `card${red ? " red" : ""}${fresh ? " fresh" : ""}` },
    el("span", { class: "unseen" }, cardName(card)),
    el("span", { class: "rank", "aria-hidden": "true" }, suit ? rank : card),
    el("span", { class: "suit", "aria-hidden": "true" }, suit ? suit[0] : ""),
  );
}

export function drawCards(cards, label, before = []) {
  if (!cards.length) return el("p", { class: "nocards" }, "no card yet");
  return el(
    "ul",
    { class: "cards", "aria-label": label },
    cards.map((card, at) => drawCard(card, before.length !== cards.length && at >= before.length)),
  );
}

export function chips(cents) {
  const values = [[50000, "purple"], [10000, "black"], [2500, "green"], [500, "red"], [100, "white"]];
  const stack = el("span", { class: "chips", "aria-hidden": "true" });
  let left = cents, drawn = 0;
  for (const [value, colour] of values) {
    while (left >= value && drawn < 5) {
      stack.append(el("i", { class: `chip ${colour}` }));
      left -= value;
      drawn += 1;
    }
  }
  return stack;
}
