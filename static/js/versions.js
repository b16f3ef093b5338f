// The list of versions marks the one whose change is shown beside it.
document.addEventListener("htmx:afterSettle", () => {
  const shown = document.querySelector("#diff [data-shown]")?.dataset.shown;
  if (!shown) return;
  for (const link of document.querySelectorAll("[data-version]")) {
    if (link.dataset.version === shown) link.parentElement.setAttribute("aria-current", "true");
    else link.parentElement.removeAttribute("aria-current");
  }
});
