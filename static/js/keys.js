// Single keys: "g" and the letter of a page in the rail, "/" for the filter, "?" for the list of keys, and the letters
// of this page's buttons and links (data-key). Off in fields, with a modifier, in dialogs, and when switched off.
const PAUSE_MS = 1200;
let goAt = 0;

const off = (event) =>
  event.defaultPrevented ||
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  document.documentElement.dataset.keys === "off" ||
  document.querySelector("dialog[open]") ||
  event.target.closest("input, textarea, select, [contenteditable]");

const seen = (selector) => [...document.querySelectorAll(selector)].find((element) => element.checkVisibility());

function press(key) {
  if (Date.now() - goAt < PAUSE_MS) {
    goAt = 0;
    return document.querySelector(`[data-go="${CSS.escape(key)}"]`);
  }
  if (key === "g") goAt = Date.now();
  if (key === "?") return seen("[data-keys-open]") ?? document.querySelector("[data-keys-open]");
  return seen(`[data-key="${CSS.escape(key)}"]`);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.form) {
    event.preventDefault();
    event.target.form.requestSubmit();
    return;
  }
  if (off(event)) return;
  if (event.key === "/") {
    const filter = seen("[data-filter], main input[type=search]");
    if (filter) {
      event.preventDefault();
      filter.focus();
    }
    return;
  }
  const element = press(event.key);
  if (element) {
    event.preventDefault();
    element.click();
  }
});
