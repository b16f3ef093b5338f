// Buttons that put a text into a field where the cursor is: <button data-insert="id of the text" data-into="id of the
// field">, hidden until script runs. The browser's own undo takes it back. Where the page says how long the field's text
// is (data-length-of="id of the field"), it goes on saying so.
function reveal() {
  for (const part of document.querySelectorAll("[data-inserts][hidden]")) part.hidden = false;
}

/** Return what has to stand before and after the text so that it is a paragraph of its own. */
function around(field) {
  const before = field.value.slice(0, field.selectionStart);
  const after = field.value.slice(field.selectionEnd);
  const gap = (text, pattern) => (text.trim() === "" ? "" : "\n".repeat(2 - text.match(pattern)[0].length));
  return [gap(before, /\n{0,2}$/), gap(after, /^\n{0,2}/)];
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-insert]");
  if (!button) return;
  const field = document.getElementById(button.dataset.into);
  const text = document.getElementById(button.dataset.insert).textContent;
  const [before, after] = around(field);
  const start = field.selectionStart + before.length;
  field.focus();
  // Deprecated, and the one way that the browser's undo knows of.
  if (!document.execCommand("insertText", false, before + text + after)) {
    field.setRangeText(before + text + after, field.selectionStart, field.selectionEnd, "end");
  }
  const blank = /<[^>]+>/.exec(text);
  if (blank) field.setSelectionRange(start + blank.index, start + blank.index + blank[0].length);
});

document.addEventListener("input", ({ target }) => {
  const length = target.id && document.querySelector(`[data-length-of="${CSS.escape(target.id)}"]`);
  if (length) length.textContent = [...target.value].length.toLocaleString("en");
});

reveal();
document.addEventListener("htmx:afterSettle", reveal);
