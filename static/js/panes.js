// Panes with data-scroll="name" scroll on their own and are found again where they were left, address by address.
const places = new Map();
const key = (pane) => `${location.pathname}${location.search} ${pane.dataset.scroll}`;

document.addEventListener(
  "scroll",
  ({ target }) => {
    if (target instanceof Element && target.dataset.scroll) places.set(key(target), target.scrollTop);
  },
  { capture: true, passive: true },
);

document.addEventListener("htmx:historyRestore", () => {
  for (const pane of document.querySelectorAll("[data-scroll]")) pane.scrollTop = places.get(key(pane)) ?? 0;
});
