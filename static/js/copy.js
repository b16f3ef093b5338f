// Copy buttons, hidden until the browser can copy: <button data-copy-url="address of the text">, since the page shows
// labels where characters are hidden; <button data-copy-from="id of an element"> for text that stands there as it is.
import { alarm, announce } from "./announce.js";

function reveal() {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll(":is([data-copy-url], [data-copy-from])[hidden]")) button.hidden = false;
}

async function textAt(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(String(answer.status));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await answer.arrayBuffer());
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copy-url], [data-copy-from]");
  if (!button) return;
  const { copyUrl, copyFrom } = button.dataset;
  try {
    await navigator.clipboard.writeText(copyUrl ? await textAt(copyUrl) : document.getElementById(copyFrom).textContent);
    announce("Copied.");
  } catch {
    alarm("Not copied. The server did not answer, or the browser did not allow it.");
  }
});

reveal();
document.addEventListener("htmx:afterSettle", reveal);
