// Keys of a tree, as in the ARIA tree pattern: one tab stop, focus moves without loading, Enter opens.
//
// <ul role="tree"> of <li role="treeitem" aria-level aria-selected tabindex>; a folder has aria-expanded, an element
// [data-toggle] in its row, and its <ul role="group">. A file's row holds the link [data-open]. The toggle turns
// aria-expanded here; files.js loads the group and tells the server what is open.
const PAUSE_MS = 600;
let typed = "";
let typedAt = 0;

const treeOf = (item) => item.closest("[role=tree]");
const isFolder = (item) => item.hasAttribute("aria-expanded");
const isOpen = (item) => item.getAttribute("aria-expanded") === "true";
const parentOf = (item) => item.parentElement.closest("[role=treeitem]");
const nameOf = (item) => item.querySelector(".nm").textContent.trim().toLowerCase();

function shown(tree) {
  return [...tree.querySelectorAll("[role=treeitem]")].filter((item) => {
    for (let folder = parentOf(item); folder; folder = parentOf(folder)) if (!isOpen(folder)) return false;
    return true;
  });
}

function focus(item) {
  if (!item) return;
  for (const other of treeOf(item).querySelectorAll("[role=treeitem][tabindex='0']")) other.tabIndex = -1;
  item.tabIndex = 0;
  item.focus();
}

function toggle(item) {
  item.querySelector("[data-toggle]").click();
}

function findNamed(items, from, letter) {
  const now = Date.now();
  typed = now - typedAt < PAUSE_MS ? typed + letter : letter;
  typedAt = now;
  const start = items.indexOf(from) + (typed.length === 1 ? 1 : 0);
  return [...items.slice(start), ...items.slice(0, start)].find((item) => nameOf(item).startsWith(typed));
}

function moves(item, items) {
  const at = items.indexOf(item);
  return {
    ArrowDown: () => focus(items[at + 1]),
    ArrowUp: () => focus(items[at - 1]),
    Home: () => focus(items[0]),
    End: () => focus(items.at(-1)),
    ArrowRight: () => {
      if (!isFolder(item)) return;
      if (isOpen(item)) focus(item.querySelector("[role=group] > [role=treeitem]"));
      else toggle(item);
    },
    ArrowLeft: () => (isFolder(item) && isOpen(item) ? toggle(item) : focus(parentOf(item))),
    Enter: () => (isFolder(item) ? toggle(item) : item.querySelector("[data-open]").click()),
    "*": () => {
      for (const sibling of item.parentElement.children) {
        if (isFolder(sibling) && !isOpen(sibling)) toggle(sibling);
      }
    },
  };
}

document.addEventListener("keydown", (event) => {
  const item = event.target.closest?.("[role=treeitem]");
  if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
  const items = shown(treeOf(item));
  const move = moves(item, items)[event.key];
  if (move) {
    event.preventDefault();
    move();
  } else if (/^[\p{L}\p{N}._-]$/u.test(event.key)) {
    event.preventDefault();
    focus(findNamed(items, item, event.key.toLowerCase()));
  }
});

document.addEventListener("click", ({ target }) => {
  const item = target.closest("[role=treeitem]");
  if (!item || !treeOf(item)) return;
  if (target.closest("[data-toggle]")) item.setAttribute("aria-expanded", String(!isOpen(item)));
  for (const other of treeOf(item).querySelectorAll("[role=treeitem][tabindex='0']")) other.tabIndex = -1;
  item.tabIndex = 0;
  if (target.closest("[data-open]")) {
    for (const other of treeOf(item).querySelectorAll("[aria-selected=true]")) other.setAttribute("aria-selected", "false");
    item.setAttribute("aria-selected", "true");
  }
});
