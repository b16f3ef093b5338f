// The editor of a file. What is typed goes to the server as a draft by htmx; here are its tabs, its key, the line that
// it opens at, and the one question whether to leave what is not saved. Nothing is kept in the browser.
const editor = () => document.querySelector("[data-editor]");
const textOf = (form) => form.elements.namedItem("text");

const isUnsaved = (form) => "changed" in textOf(form).dataset || textOf(form).value !== textOf(form).defaultValue;

function show(form, tab) {
  for (const button of form.querySelectorAll("[data-tab]")) {
    button.setAttribute("aria-pressed", String(button.dataset.tab === tab));
  }
  form.querySelector("[data-write]").hidden = tab !== "write";
  form.querySelector("[data-sheet]").hidden = tab === "write";
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-tab]");
  if (!button) return;
  show(button.form, button.dataset.tab);
  // The text is still here; what the others show comes from the server.
  if (button.dataset.tab === "write") event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  const form = editor();
  if (!form || event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
  event.preventDefault();
  form.querySelector("[data-save]")?.click();
});

// Once: whoever stays has read that there is something to save.
window.addEventListener("beforeunload", (event) => {
  const form = editor();
  if (!form || "asked" in form.dataset || !isUnsaved(form)) return;
  form.dataset.asked = "";
  event.preventDefault();
});

// The server took the text and leads away from it.
document.addEventListener("htmx:beforeOnLoad", ({ detail: { xhr } }) => {
  if (xhr.getResponseHeader("HX-Redirect") && editor()) editor().dataset.asked = "";
});

// Whether the file has changed is asked every few seconds: once in vain is no news.
for (const failure of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
  document.addEventListener(
    failure,
    (event) => {
      if (event.target.matches?.("[data-news]")) event.stopImmediatePropagation();
    },
    { capture: true },
  );
}

// Lines wrap, so that where one lies is found by measuring all that stands above it.
function openAtLine(text) {
  const whole = text.value;
  let start = 0;
  for (let line = 1; line < Number(text.dataset.line) && start >= 0; line += 1) start = whole.indexOf("\n", start) + 1 || -1;
  if (start < 0) start = whole.length;
  text.value = whole.slice(0, start);
  const above = text.scrollHeight;
  text.value = whole;
  text.focus({ preventScroll: true });
  text.setSelectionRange(start, start);
  text.scrollTop = above - text.clientHeight / 2;
}

function prepare() {
  const text = editor() && textOf(editor());
  if (!text?.dataset.line || "opened" in text.dataset) return;
  text.dataset.opened = "";
  openAtLine(text);
}

prepare();
document.addEventListener("htmx:afterSettle", prepare);
