// Asks the server, knows who has signed in, and says aloud what happened.
let me = null;
let atSignOut = () => {};

export const whoAmI = () => me;
export const signedInAs = (person) => { me = person; };
export const whenSignedOut = (then) => { atSignOut = then; };

export async function ask(path, body) {
  const options = body ? { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } } : {};
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    return { ok: false, status: 0, why: "The console does not answer. Only changes in the journal took effect." };
  }
  const said = await answer.json().catch(() => ({}));
  if (answer.status === 401 && path !== "api/sign-in") signOut();
  return { ok: answer.ok, status: answer.status, ...said };
}

export function signOut() {
  if (!me) return;
  me = null;
  atSignOut();
}

export function announce(text, urgent = false) {
  const region = document.getElementById(urgent ? "alarm" : "polite");
  if (region.textContent !== text) region.textContent = text;
}
