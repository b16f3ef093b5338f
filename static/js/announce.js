// Words for people who listen. A swapped part says them with data-announce, an answer with an HX-Trigger "announce".
const PAUSE_MS = 1000;
let waiting = null;
let last = 0;

/** Say something politely, at most once a second; of several the last one is said. */
export function announce(text) {
  clearTimeout(waiting);
  const wait = Math.max(0, last + PAUSE_MS - Date.now());
  waiting = setTimeout(() => {
    last = Date.now();
    document.querySelector("[data-region=announcer]").textContent = text;
  }, wait);
}

/** Say at once that something failed. */
export function alarm(text) {
  document.querySelector("[data-region=alarm]").textContent = text;
}

document.addEventListener("announce", ({ detail }) => announce(detail.value));

document.addEventListener("htmx:afterSettle", ({ detail: { target } }) => {
  // A page that came back from history has no target.
  const said = target?.matches("[data-announce]") ? target : target?.querySelector("[data-announce]");
  if (said) announce(said.dataset.announce);
});
