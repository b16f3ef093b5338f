// The palette page in a dialog: type, move with the arrows, Enter opens. Focus stays in the field.
const dialog = () => document.querySelector("dialog[data-palette]");
const options = () => [...dialog().querySelectorAll("[data-palette-results] [data-option]")];

/** Open the palette, with the field empty and the person's usual places listed. */
export async function openPalette() {
  const box = dialog();
  if (!box || box.open) return;
  await window.htmx.ajax("GET", box.dataset.palette, { target: box, swap: "innerHTML" });
  box.showModal();
  box.querySelector("input").focus();
}

function select(option) {
  for (const other of options()) other.setAttribute("aria-selected", String(other === option));
  const field = dialog().querySelector("input");
  if (option) {
    field.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  } else {
    field.removeAttribute("aria-activedescendant");
  }
}

// The page lists links; in the dialog they are the options of a combobox.
function makeCombobox(box) {
  const field = box.querySelector("input");
  const results = box.querySelector("[data-palette-results]");
  const found = options();
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-expanded", String(found.length > 0));
  field.setAttribute("aria-controls", (results.id = "palette-results"));
  if (!found.length) return;
  results.setAttribute("role", "listbox");
  for (const group of results.querySelectorAll("section")) group.setAttribute("role", "group");
  for (const part of results.querySelectorAll("h2, ul, li, form")) part.setAttribute("role", "presentation");
  for (const [number, option] of found.entries()) {
    option.id = `palette-option-${number}`;
    option.tabIndex = -1;
    option.setAttribute("role", "option");
  }
  select(found[0]);
}

document.addEventListener("htmx:afterSettle", () => {
  const box = dialog();
  if (box?.querySelector("input")) makeCombobox(box);
});

document.addEventListener("click", (event) => {
  if (event.target === dialog()) dialog().close();
  const opener = event.target.closest("[data-palette-open]");
  if (!opener || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  openPalette();
});

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    openPalette();
    return;
  }
  if (!dialog()?.open) return;
  const found = options();
  const at = found.findIndex((option) => option.getAttribute("aria-selected") === "true");
  if (event.key === "ArrowDown") select(found[(at + 1) % found.length]);
  else if (event.key === "ArrowUp") select(found[(at - 1 + found.length) % found.length]);
  else if (event.key === "Enter" && event.shiftKey) dialog().querySelector("[data-palette-search]")?.click();
  else if (event.key === "Enter") found[Math.max(at, 0)]?.click();
  else return;
  event.preventDefault();
});
