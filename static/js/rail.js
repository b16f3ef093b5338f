// The rail's counts, for a page that knows that one of them has changed.

/** Show the counts as they are now. Without an answer they stay as they are: they are no reason to complain. */
export async function refreshRail() {
  const rail = document.querySelector("[data-rail]");
  const at = new URLSearchParams({ at: location.pathname });
  const answer = await fetch(`${rail.dataset.rail}?${at}`).catch(() => null);
  if (answer?.ok && !answer.redirected) window.Idiomorph.morph(rail, await answer.text(), { morphStyle: "innerHTML" });
}
