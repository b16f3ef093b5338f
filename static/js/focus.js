// After a swap that is a new page to the reader, focus its heading and show it below the sticky bars.
let pushed = false;

document.addEventListener("htmx:pushedIntoHistory", () => {
  pushed = true;
});

document.addEventListener("htmx:afterSettle", ({ detail: { target } }) => {
  if (!pushed) return;
  pushed = false;
  const heading = target.querySelector("[data-heading], h1, h2");
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ block: "nearest" });
});
