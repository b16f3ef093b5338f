// Choosing rows of a list by their boxes: a range with Shift, "x" and "Shift x" from the row that has the focus, a box
// for the page, Escape for none. The bar below says how many there are. What is chosen is the form's own boxes.
import { announce } from "./announce.js";

const formOf = (element) => element?.closest?.("[data-picks]");
const boxesOf = (form) => [...form.querySelectorAll("[data-pick]")];
const anchors = new WeakMap();

function tell(form) {
  const boxes = boxesOf(form);
  const picked = boxes.filter((box) => box.checked).length;
  const words = form.querySelector("[data-picked]");
  if (words && !words.dataset.all) words.textContent = picked ? `${picked.toLocaleString("en")} chosen` : "Nothing chosen";
  const page = form.querySelector("[data-pick-page] input");
  if (page) {
    page.checked = picked > 0 && picked === boxes.length;
    page.indeterminate = picked > 0 && picked < boxes.length;
  }
  return picked;
}

function pick(form, box, on, isRange) {
  const boxes = boxesOf(form);
  const from = boxes.indexOf(anchors.get(form));
  const to = boxes.indexOf(box);
  const [first, last] = isRange && from >= 0 ? [Math.min(from, to), Math.max(from, to)] : [to, to];
  for (const each of boxes.slice(first, last + 1)) each.checked = on;
  anchors.set(form, box);
  announce(`${tell(form)} chosen.`);
}

function begin(root) {
  for (const form of root.querySelectorAll("[data-picks]")) {
    for (const label of form.querySelectorAll("[data-pick-page]")) label.hidden = false;
    tell(form);
  }
  for (const form of root.querySelectorAll("[data-replacing]")) count(form);
}

// A click with Shift marks text as well, which nobody meant.
document.addEventListener("mousedown", (event) => {
  if (event.shiftKey && event.target.closest(".pick")) event.preventDefault();
});

document.addEventListener("click", (event) => {
  const box = event.target;
  const form = formOf(box);
  if (!form) return;
  if (box.matches("[data-pick]")) pick(form, box, box.checked, event.shiftKey);
  if (box.matches("[data-pick-page] input")) {
    for (const each of boxesOf(form)) each.checked = box.checked;
    announce(`${tell(form)} chosen.`);
  }
});

// A label passes a click on without the keys that were down.
document.addEventListener("click", (event) => {
  const box = event.shiftKey && event.target.matches(".hit") && event.target.querySelector("[data-pick]");
  if (!box) return;
  event.preventDefault();
  pick(formOf(box), box, !box.checked, true);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const form = formOf(document.activeElement) ?? document.querySelector("[data-picks]");
  if (!form) return;
  const isTyping = event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
  if (isTyping) return;
  if (event.key === "Escape" && boxesOf(form).some((box) => box.checked)) {
    for (const box of boxesOf(form)) box.checked = false;
    tell(form);
    announce("Nothing chosen.");
  }
  if (event.key.toLowerCase() !== "x" || document.documentElement.dataset.keys === "off") return;
  const box = document.activeElement.closest("tr")?.querySelector("[data-pick]");
  if (!box || formOf(box) !== form) return;
  event.preventDefault();
  pick(form, box, event.shiftKey || !box.checked, event.shiftKey);
});

// Find and replace: the button says what the boxes come to, with those on other pages.
function count(form) {
  const button = form.querySelector("[data-replace]");
  const ticked = [...form.querySelectorAll("[data-hits]:checked")];
  const hits = ticked.reduce((sum, box) => sum + Number(box.dataset.hits), Number(button.dataset.hits));
  const files = ticked.length + Number(button.dataset.files);
  const many = (number, thing) => `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;
  button.textContent = files ? `Replace ${many(hits, "place")} in ${many(files, "file")}` : "Replace in no file";
  button.setAttribute("aria-disabled", String(!files));
}

document.addEventListener("change", ({ target }) => {
  const replacing = target.closest("[data-replacing]");
  if (replacing) count(replacing);
});

// A form that takes a while says so, and is sent once.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-busy]")) return;
  if (form.querySelector("[aria-busy=true]") || event.submitter?.getAttribute("aria-disabled") === "true") {
    event.preventDefault();
    return;
  }
  // A download leaves the page where it is.
  if (form.method === "post") event.submitter?.setAttribute("aria-busy", "true");
});

window.addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("form[data-busy] [aria-busy=true]")) button.removeAttribute("aria-busy");
  begin(document);
});

document.addEventListener("htmx:afterSettle", ({ detail: { target } }) => begin(target ?? document));
