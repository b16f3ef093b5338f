// Copy buttons: <button data-copy-url="address of the text">, hidden until the browser can copy. The page shows labels
// where characters are hidden, so what is copied comes from where its bytes are.
import { alarm, announce } from "./announce.js";

function reveal() {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll("[data-copy-url][hidden]")) button.hidden = false;
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copy-url]");
  if (!button) return;
  try {
    const answer = await fetch(button.dataset.copyUrl);
    if (!answer.ok) throw new Error(String(answer.status));
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await answer.arrayBuffer());
    await navigator.clipboard.writeText(text);
    announce("Copied.");
  } catch {
    alarm("Not copied. The server did not answer, or the browser did not allow it.");
  }
});

reveal();
document.addEventListener("htmx:afterSettle", reveal);
