// A fault as a card of its own: what to clear, how many to count, who may rule, and how.
import { announce, ask, whoAmI } from "./asking.js";
import { capital, cited, drawCards, el } from "./drawing.js";

// Whether somebody with these titles may rule as a title, by the order of the rulebook's titles.
function entitled(option, roles, titles) {
  const mine = titles.filter((title) => roles.includes(title));
  if (!mine.length) return null;
  const highest = mine.reduce((a, b) => (roles.indexOf(a) > roles.indexOf(b) ? a : b));
  if (option.by === "player" || !option.by) return highest;
  return roles.indexOf(highest) >= roles.indexOf(option.by) ? highest : null;
}

// Whoever has no title of this table's rulebook only reads here, whatever he is at other tables.
export const onlyReads = (picture) => !entitled({ by: "" }, picture.table.roles, whoAmI().titles);

// The reason that a person with titles of another rulebook cannot act at this table.
export function otherRulebook(picture) {
  const me = whoAmI();
  if (me.reads_only || !onlyReads(picture)) return null;
  return el("p", { class: "panel", role: "note" }, `You can only read here: ${me.jobs.join(", ")} belongs to another rulebook, and this table plays ${picture.table.title}.`);
}

// Closes the table after its round, for any title above the lowest one.
export function closeButton(table) {
  const { picture, live } = table;
  const may = whoAmI().titles.some((title) => picture.table.roles.indexOf(title) > 0);
  if (!may || !live?.connected || live.closing) return null;
  const said = el("span", { class: "small", role: "status" });
  return el("span", { class: "noprint" }, el("button", { "data-key": "close-table", onclick: () => send(table.table, picture.n, { close: true }, said) }, "Close table"), said);
}

// Sends a request, a second time under the same id where nobody answered; it counts once.
export async function send(key, on, answer, said) {
  said.textContent = "Sent.";
  const path = `api/tables/${encodeURIComponent(key)}/requests`;
  const request = { id: crypto.randomUUID(), on, ...answer };
  let result = await ask(path, request);
  if (result.status === 0) result = await ask(path, request);
  const text = result.ok ? capital(result.said || "Done.") : result.why;
  said.replaceChildren(text, " ", cited(result.rules) || "");
  announce(`${text}${result.rules?.length ? ` Rule ${result.rules.join(", ")}.` : ""}`, !result.ok);
}

export function faultCard({ key, picture, live, then }) {
  const { machine, round } = picture;
  const choices = round?.choices || [];
  const question = live?.question;
  const asked = ["count", "rule"].includes(question?.kind);
  if (!machine.fault && !machine.locked && !choices.length && !asked) return null;
  const what = machine.locked ? `Machine locked: ${machine.locked}` : machine.fault ? `Machine stopped: ${machine.fault}` : question?.kind === "count" ? question.asked : `Ruling on ${choices[0]?.on}`;
  const said = el("p", { role: "status" });
  return el("section", { class: "panel fault", "aria-labelledby": "fault-title" },
    el("h2", { id: "fault-title" }, capital(what)),
    machine.hint ? el("p", {}, el("strong", {}, "To clear: "), machine.hint) : null,
    question?.kind === "count" ? countForm(key, picture, question, said) : null,
    foreseen(key, picture, round?.foreseen, said),
    choices.map((choice) => choiceCard(key, picture, choice, question?.kind === "rule" && question.on === choice.kind ? question : null, said)),
    choices.length && !question ? el("p", { class: "small quiet" }, then ? "This is how it stood at that moment." : "Rulings are made at the table itself.") : null,
    said);
}

// What the rules make of it once it is cleared: nobody can press anything of it yet.
function foreseen(key, picture, then, said) {
  if (!then || !(then.choices.length || then.rules.length)) return null;
  return el("div", { class: "foreseen" }, el("h3", {}, "By the rules, when that is done"),
    then.rules.length ? el("p", {}, "Decided by the rules alone. ", cited(then.rules)) : null,
    then.choices.map((choice) => choiceCard(key, picture, choice, null, said)));
}

function countForm(key, picture, question, said) {
  if (onlyReads(picture)) return el("p", { class: "quiet" }, `${question.attempt} A person at the table counts.`);
  const field = el("input", { type: "number", name: "count", min: 0, max: picture.machine.pack || 999, required: true, autocomplete: "off", "data-key": `count-${question.n}` });
  const form = el("form", { class: "count" }, el("p", { class: "attempt" }, el("strong", {}, question.attempt)), el("label", {}, "Cards that are not in the machine", field), el("button", { class: "main", "data-key": "counted" }, "Cleared and counted"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(key, question.n, { count: Number(field.value) }, said);
  });
  return form;
}

function choiceCard(key, picture, choice, question, said) {
  const me = whoAmI();
  const ways = choice.options.map((option) => wayButton(key, picture, choice, option, question, said, me));
  return el("div", {},
    el("p", {}, el("strong", {}, capital(choice.on)), choice.cards.length ? ` (${choice.cards.join(" ")})` : "", choice.required ? ": somebody must rule. " : ": somebody may rule. ", cited(choice.rules)),
    choice.cards.length ? drawCards(choice.cards, "Cards that it is about") : null,
    el("ul", { class: "ways" }, ways,
      question && !choice.required && !onlyReads(picture) ? el("li", {}, el("button", { "data-key": "silence", onclick: () => send(key, question.n, { ruling: null }, said) }, "No ruling"), el("span", { class: "small" }, "Play continues.")) : null),
    question?.proposed ? proposal(key, question, said, me) : null);
}

function wayButton(key, picture, choice, option, question, said, me) {
  const title = entitled(option, picture.table.roles, me.titles);
  const may = Boolean(question && title);
  const answers = option.ruling === "choose" && choice.cards.length
    ? choice.cards.map((card, at) => [`${capital(option.words)} ${card}`, { ruling: option.ruling, chosen: at + 1 }])
    : [[capital(option.words), { ruling: option.ruling }]];
  const about = `${question ? "now" : "then"}-${choice.kind}-${option.ruling}`;
  const details = may ? rulingDetails(picture, choice, option, about) : [];
  const answered = () => Object.fromEntries(details.map(({ name, input }) => [name, input.value.trim() || null]));
  return el("li", {},
    details.map(({ label, input }) => el("label", { class: "small" }, label, input)),
    answers.map(([text, answer]) => el("button", {
      "data-key": text, disabled: !may, "aria-describedby": `${about}-means ${about}-who`, onclick: () => send(key, question.n, { ...answer, ...answered(), title }, said),
    }, text, cited(option.rules))),
    el("span", { class: "small says" }, option.says ? [cited([option.says.rule]), " ", option.says.words] : option.rules.length ? null : "No rule of this rulebook covers this."),
    el("span", { class: "small", id: `${about}-means` }, option.means),
    el("span", { class: "small quiet", id: `${about}-who` }, `${option.title}.${question && !title ? " Not with your titles." : ""}`));
}

// The fields of a ruling that names hands or cards. An empty field leaves it to the rule.
function rulingDetails(picture, choice, option, about) {
  const field = (name, label, placeholder) => ({ name, label, input: el("input", { name, placeholder, maxlength: 64, autocomplete: "off", "data-key": `${about}-${name}` }) });
  const voids = option.ruling === "void-hands";
  return [
    voids && !choice.hands.length ? field("hands", "Void hands", "1 2.1 dealer") : null,
    (voids || option.ruling === "reconstruct") && picture.round.dealer.length ? field("dealer", "Cards that the dealer keeps (empty: as the rule orders)", picture.round.dealer.join(" ")) : null,
  ].filter(Boolean);
}

function proposal(key, question, said, me) {
  const { words, by, id } = question.proposed;
  const mine = by === me.name;
  return el("div", { class: "said" },
    el("p", {}, `${by} proposes: ${words}. A second person confirms it from a session of their own.`),
    mine || me.reads_only ? null : el("button", { class: "main", "data-key": "confirm", onclick: () => send(key, question.n, { confirm: id }, said) }, `Confirm: ${words}`));
}

export function benchPanel(key, table) {
  if (onlyReads(table.picture)) return null;
  const said = el("p", { class: "small", role: "status" });
  return el("section", { class: "panel noprint" }, el("h2", {}, "On this bench, cause"),
    el("div", { class: "cause" }, table.live.bench.map(([name, words]) =>
      el("button", { "data-key": `cause-${name}`, title: words, onclick: () => send(key, table.picture.n, { cause: name }, said) }, capital(name.replaceAll("-", " "))))), said);
}
