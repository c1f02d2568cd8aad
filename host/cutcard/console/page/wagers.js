// Wagers for the next round, and the decisions of the players who were put down here.
import { el, capital, cited, money } from "./drawing.js";
import { onlyReads, send } from "./ruling.js";

const cents = (dollars) => Math.round(Number(dollars) * 100);

// What lies, each with a button that takes it back.
export function lyingWagers({ key, picture, wagers }) {
  const said = el("p", { class: "small", role: "status" });
  const back = (wager) => send(key, picture().n, { wager: { box: wager.box, player: wager.player, bet: wager.bet, cents: 0 } }, said);
  return el("section", { class: "panel" }, el("h2", {}, "Wagers for the next round"),
    wagers.lying.length ? el("ul", { class: "lying" }, wagers.lying.map((wager) => el("li", {},
      el("span", {}, `Box ${wager.box}, ${wager.player}${wager.bet === "main" ? "" : `, ${wager.words}`}`),
      el("span", { class: "num" }, money(wager.cents)),
      onlyReads(picture()) ? null : el("button", { "data-key": `back-${wager.box}-${wager.player}-${wager.bet}`, "aria-label": `Withdraw ${wager.player}'s ${wager.words} wager on box ${wager.box}`, onclick: () => back(wager) }, "Withdraw"))))
      : el("p", { class: "quiet" }, "No wagers yet."), said);
}

export function wagerForm({ key, picture, wagers }) {
  if (onlyReads(picture())) return null;
  const said = el("p", { class: "small", role: "status" });
  const field = (label, input) => el("label", {}, label, input);
  const box = el("input", { type: "number", name: "box", min: 1, max: wagers.boxes, required: true });
  const player = el("input", { type: "text", name: "player", maxlength: 40, required: true, autocomplete: "off" });
  const bet = el("select", { name: "bet" }, wagers.bets.map(([value, words]) => el("option", { value }, capital(words))));
  const amount = el("input", { type: "number", name: "amount", min: 0.01, step: 0.01, required: true });
  const form = el("form", { class: "wager" }, field("Box", box), field("Player", player), field("Wager", bet), field("Amount, $", amount), el("button", {}, "Accept wager"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(key, picture().n, { wager: { box: Number(box.value), player: player.value.trim(), bet: bet.value, cents: cents(amount.value) } }, said);
  });
  return el("section", { class: "panel noprint" }, el("h2", {}, "New wager"), form, said,
    el("p", { class: "small quiet" }, "Players entered here decide here. The round begins with the button “No more wagers: deal”."));
}

// What the round waits for, of a player or of whoever takes the wagers.
export function turnCard({ key, picture, question }) {
  if (!question || !["act", "begin"].includes(question.kind)) return null;
  const said = el("p", { class: "small", role: "status" });
  const begins = question.kind === "begin";
  const ways = begins ? [[{ begin: true }, "No more wagers: deal"]] : question.acts.map(([act, words]) => [{ act }, capital(words)]);
  return el("section", { class: "panel turn", "aria-labelledby": "turn-title" },
    el("h2", { id: "turn-title" }, begins ? `Round ${question.round} waits for wagers` : capital(question.asked)),
    onlyReads(picture) ? el("p", { class: "quiet" }, "The officials of this table answer.")
      : el("div", { class: "acts" }, ways.map(([answer, words], at) => el("button", { class: at ? "" : "main", "data-key": `turn-${words}`, onclick: () => send(key, question.n, answer, said) }, words))),
    said);
}
