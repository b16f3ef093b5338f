// The slider goes to where it is let go; how many files are ticked stands on their button.
document.addEventListener("change", ({ target }) => {
  if (target.closest("[data-slide]")) target.form.requestSubmit();
  else if (target.closest(".backs")) count();
});

function count() {
  const button = document.querySelector("[data-backs]");
  if (!button) return;
  const ticked = document.querySelectorAll(".backs :checked").length;
  button.textContent = ticked ? `Put ${ticked} file${ticked === 1 ? "" : "s"} back…` : "Put ticked files back…";
}

count();
document.addEventListener("htmx:afterSettle", count);
