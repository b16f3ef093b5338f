// The merge of two texts: how many conflicts still need a choice, the way to the next one, one side for all of them, and
// a field for one's own words that begins with what was chosen. Without script the server does all of it, a step later.
import { announce } from "./announce.js";

const form = () => document.querySelector("[data-merge]");
const conflicts = () => [...document.querySelectorAll("[data-conflict]")];
const isOpen = (conflict) => !conflict.querySelector("input[type=radio]:checked");

// Those of other parts of a long merge come as hidden fields once they have a choice.
function left() {
  const total = Number(form().querySelector("[data-left]").dataset.total);
  const elsewhere = form().querySelectorAll("input[type=hidden][name^='choice-']").length;
  return { total, open: total - elsewhere - conflicts().filter((conflict) => !isOpen(conflict)).length };
}

function words({ total, open }) {
  if (!open) return total === 1 ? "The conflict is settled." : "All conflicts are settled.";
  return `${open} of ${total} conflict${total === 1 ? "" : "s"} still need${open === 1 ? "s" : ""} a choice.`;
}

function count() {
  const now = left();
  form().querySelector("[data-left]").textContent = words(now);
  for (const button of form().querySelectorAll("[data-save], [data-needs-all]")) {
    if (now.open) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }
  const next = form().querySelector("[data-next]");
  if (next) next.hidden = !now.open;
  announce(words(now));
}

function goOn() {
  const all = conflicts();
  const here = all.indexOf(document.activeElement?.closest("[data-conflict]"));
  const next = [...all.slice(here + 1), ...all.slice(0, here + 1)].find(isOpen);
  if (!next) {
    form().querySelector("[name=show]")?.focus();
    return;
  }
  next.querySelector("input[type=radio]").focus({ preventScroll: true });
  next.scrollIntoView({ block: "center" });
}

// The field holds both sides; as long as nobody typed in it, it begins with the one that was chosen before.
function begin(conflict) {
  const field = conflict.querySelector("textarea");
  const { from, theirs } = conflict.dataset;
  if (field.value !== field.defaultValue || !theirs || !["mine", "theirs"].includes(from)) return;
  const lines = field.defaultValue.split("\n");
  const other = Number(theirs);
  field.value = from === "mine" ? lines.slice(other).join("\n") : `${lines.slice(0, other).join("\n")}\n`;
}

document.addEventListener("change", ({ target }) => {
  const conflict = target.closest?.("[data-conflict]");
  if (!conflict || target.type !== "radio") return;
  if (target.value === "hand") begin(conflict);
  else conflict.dataset.from = target.value;
  count();
});

document.addEventListener("click", (event) => {
  if (!form()) return;
  const all = event.target.closest("[data-all]");
  if (all) {
    // Those of other parts are set by the server.
    if (form().querySelector("[name=show]")) return;
    event.preventDefault();
    for (const radio of form().querySelectorAll(`[data-conflict] [value="${all.dataset.all}"]`)) radio.checked = true;
    count();
    return;
  }
  if (event.target.closest("[data-next]")) {
    event.preventDefault();
    goOn();
    return;
  }
  const button = event.target.closest("[data-save], [data-needs-all]");
  if (button?.getAttribute("aria-disabled") === "true") {
    event.preventDefault();
    announce(words(left()));
    goOn();
  }
});

// What was chosen or typed while an answer is on its way would go with the page that it replaces.
for (const [name, waits] of [["htmx:beforeRequest", true], ["htmx:afterRequest", false]]) {
  document.addEventListener(name, ({ detail: { elt } }) => {
    const sender = elt.closest?.("[data-merge]");
    if (sender) sender.inert = waits;
  });
}
