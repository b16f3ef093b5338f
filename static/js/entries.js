// A list that is gone through one by one (data-entries): J and K move between its entries, whose own keys
// (data-entry-key) work in the current one. When an entry goes, the next one in its place has the focus.
import { refreshRail } from "./rail.js";

let place = 0;
let acted = false;

const entries = () => [...document.querySelectorAll("[data-entries] [data-entry]")];

function show(next, { focus }) {
  const all = entries();
  place = Math.max(0, Math.min(next, all.length - 1));
  for (const [number, entry] of all.entries()) {
    const isCurrent = number === place;
    if (isCurrent) entry.setAttribute("aria-current", "true");
    else entry.removeAttribute("aria-current");
    for (const element of entry.querySelectorAll("[data-entry-key]")) {
      if (isCurrent) element.dataset.key = element.dataset.entryKey;
      else delete element.dataset.key;
    }
  }
  if (!focus) return;
  const stop = all[place]?.querySelector("[data-entry-focus]") ?? document.querySelector("[data-entries-end]");
  stop?.focus({ preventScroll: true });
  (all[place] ?? stop)?.scrollIntoView({ block: "nearest" });
}

document.addEventListener("click", (event) => {
  const step = event.target.closest("[data-entries-step]");
  if (!step) return;
  const isThere = entries()[place]?.contains(document.activeElement);
  // The first press goes to where the page begins.
  show(isThere || step.contains(document.activeElement) ? place + Number(step.dataset.entriesStep) : place, { focus: true });
});

document.addEventListener("focusin", ({ target }) => {
  const entry = target.closest("[data-entries] [data-entry]");
  if (entry && !entry.hasAttribute("aria-current")) show(entries().indexOf(entry), { focus: false });
});

document.addEventListener("htmx:beforeRequest", ({ target }) => {
  acted = Boolean(target.closest("[data-entries]"));
});

document.addEventListener("htmx:afterSettle", () => {
  if (!document.querySelector("[data-entries]")) return;
  show(place, { focus: acted });
  if (acted) refreshRail();
  acted = false;
});

show(0, { focus: false });
