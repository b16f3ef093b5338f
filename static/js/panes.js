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

// Where the tabs of a narrow page have no room, the current one is in sight.
document.querySelector(".tabs a[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

document.addEventListener("htmx:historyRestore", () => {
  for (const pane of document.querySelectorAll("[data-scroll]")) pane.scrollTop = places.get(key(pane)) ?? 0;
});
