// Copy buttons: <button data-copy="text"> or <button data-copy-from="id">, hidden until the browser can copy.
import { announce } from "./announce.js";

function reveal() {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll("[data-copy][hidden], [data-copy-from][hidden]")) button.hidden = false;
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copy], [data-copy-from]");
  if (!button) return;
  const { copy, copyFrom } = button.dataset;
  await navigator.clipboard.writeText(copy ?? document.getElementById(copyFrom).textContent);
  announce("Copied.");
});

reveal();
document.addEventListener("htmx:afterSettle", reveal);
