// When an action gets no answer or an error, the page stays and a banner says what was not done.
import { alarm } from "./announce.js";

const REASONS = {
  403: "The page was open for too long. Reload it and try again.",
  404: "What it was about is no longer there.",
  413: "That is more than the server takes at once.",
  429: "That was too often in a short time. Wait a little.",
  503: "The server is not available right now. Try again in a minute.",
};
const NO_ANSWER = "The server did not answer. What was on this page is still here.";
const MISTAKE = "The server made a mistake. What was saved before is safe.";

function show(element, reason) {
  const undone = element.closest("[data-failed]")?.dataset.failed ?? "That was not done.";
  const region = document.querySelector("[data-region=banners]");
  if (!region) return;
  const words = document.createElement("span");
  words.className = "grow";
  const what = document.createElement("strong");
  what.textContent = undone;
  words.append(what, ` ${reason}`);
  const close = document.createElement("button");
  close.type = "button";
  close.className = "btn s";
  close.textContent = "Close";
  close.addEventListener("click", () => banner.remove());
  const banner = document.createElement("div");
  banner.className = "banner danger";
  banner.append(words, close);
  region.replaceChildren(banner);
  alarm(`${undone} ${reason}`);
}

document.addEventListener("htmx:responseError", ({ detail: { elt, xhr } }) => show(elt, REASONS[xhr.status] ?? MISTAKE));
document.addEventListener("htmx:sendError", ({ detail: { elt } }) => show(elt, NO_ANSWER));
document.addEventListener("htmx:timeout", ({ detail: { elt } }) => show(elt, NO_ANSWER));
