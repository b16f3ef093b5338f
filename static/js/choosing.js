// What is chosen in a comparison is counted as boxes are ticked; a box that cannot be ticked says why beside it.
const THINGS = [
  ["changed", (count) => `${count} new version${count === 1 ? "" : "s"}`],
  ["added", (count) => `${count} new file${count === 1 ? "" : "s"}`],
  ["moved", (count) => `${count} rename${count === 1 ? "" : "s"}`],
  ["removed", (count) => `${count} file${count === 1 ? "" : "s"} to the trash`],
];

function count(form) {
  const words = form.querySelector("[data-chosen-words]");
  if (!words) return;
  const chosen = [...form.querySelectorAll("[data-kind]:checked")].map((box) => box.dataset.kind);
  const counts = THINGS.map(([kind]) => Number(words.getAttribute(`data-elsewhere-${kind}`)) + chosen.filter((each) => each === kind).length);
  const said = THINGS.map(([, say], place) => counts[place] && say(counts[place])).filter(Boolean);
  const total = counts.reduce((sum, each) => sum + each, 0);
  words.textContent = total ? `${said.join(", ")}.` : "Nothing is chosen.";
  form.querySelector("[data-chosen]").textContent = total ? `${total} ` : "";
}

function countAll() {
  for (const form of document.querySelectorAll("form[data-choosing]")) count(form);
}

document.addEventListener("change", ({ target }) => {
  const form = target.closest("form[data-choosing]");
  if (form) count(form);
});

document.addEventListener("click", (event) => {
  if (event.target.closest("form[data-choosing] input[aria-disabled=true]")) event.preventDefault();
});

// Boxes come back as they were left when somebody goes back to the page.
window.addEventListener("pageshow", countAll);
