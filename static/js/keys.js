// Single keys: "g" and the letter of a page in the rail, "/" for the filter, "?" for the list of keys, and the letters
// of this page's buttons and links (data-key); "j" and "k" go through the rows of a list. Off in fields, with a
// modifier, in dialogs, and when switched off.
const PAUSE_MS = 1200;
let goAt = 0;

document.documentElement.dataset.hearsKeys = "";

const off = (event) =>
  event.defaultPrevented ||
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  document.documentElement.dataset.keys === "off" ||
  document.querySelector("dialog[open]") ||
  event.target.closest("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]");

const seen = (selector) => [...document.querySelectorAll(selector)].find((element) => element.checkVisibility());

function press(key) {
  if (Date.now() - goAt < PAUSE_MS) {
    goAt = 0;
    return document.querySelector(`[data-go="${CSS.escape(key)}"]`);
  }
  if (key === "g") goAt = Date.now();
  if (key === "?") return document.querySelector("[data-keys-open]");
  return seen(`[data-key="${CSS.escape(key)}"]`);
}

// From no row, "j" goes to the first one.
function step(key) {
  const names = [...document.querySelectorAll("main .table a.name")].filter((name) => name.checkVisibility());
  const at = names.findIndex((name) => name.closest("tr").contains(document.activeElement));
  names[key === "j" ? at + 1 : at - 1]?.focus();
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
  } else if (event.key === "j" || event.key === "k") {
    step(event.key);
  }
});

// The list of keys opens over the page, at its top, with the page's own keys first. Focus goes to the first button,
// which closes it: Enter must not change a setting of somebody who only looked.
document.addEventListener("click", async (event) => {
  const sheet = document.querySelector("dialog[data-keys-list]");
  if (event.target === sheet) sheet.close();
  if (!sheet || !event.target.closest("[data-keys-open]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const keyed = [...document.querySelectorAll("[data-key]")].filter((element) => element.checkVisibility());
  const body = sheet.querySelector("[data-keys-body]");
  await window.htmx.ajax("GET", sheet.dataset.keysList, { target: body, swap: "innerHTML" });
  listPageKeys(sheet.querySelector("[data-page-keys]"), keyed);
  sheet.querySelector("[name=next]").value = location.pathname + location.search;
  sheet.showModal();
  sheet.scrollTop = 0;
});

function listPageKeys(table, keyed) {
  for (const element of keyed) {
    const row = table.tBodies[0].insertRow();
    const key = document.createElement("kbd");
    key.textContent = element.dataset.key;
    row.insertCell().append(key);
    const words = element.cloneNode(true);
    for (const aside of words.querySelectorAll("kbd, .faint, svg")) aside.remove();
    row.insertCell().textContent = element.getAttribute("aria-label") ?? words.textContent.trim();
  }
  table.hidden = !keyed.length;
}
