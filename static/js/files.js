// Rows of the file tree load by script: a file beside the tree, a directory into it. Without script they are links.
// This module comes after tree.js, which has turned a folder's aria-expanded by the time a click arrives here.
const narrow = window.matchMedia("(max-width: 900px)");

function load(link, method, url, target, swap, values) {
  return window.htmx.ajax(method, url, { source: link, target, swap, values });
}

async function openFolder(link) {
  const item = link.parentElement;
  const { pages, levels } = link.closest("[role=tree]").dataset;
  const values = {
    open: item.getAttribute("aria-expanded"),
    csrfmiddlewaretoken: document.querySelector("[name=csrfmiddlewaretoken]").value,
  };
  const group = item.querySelector("[role=group]");
  // What was loaded before is there at once, and somebody may be in it when it is loaded anew.
  let held;
  const hold = () => (held = group.contains(document.activeElement) && document.activeElement.closest("[role=treeitem]"));
  group.addEventListener("htmx:beforeSwap", hold, { once: true });
  await load(link, "POST", link.getAttribute("href").replace(pages, levels), group, "innerHTML", values);
  const address = held && held.querySelector("a").getAttribute("href");
  const anew = [...group.querySelectorAll("[role=treeitem]")].find((row) => row.querySelector("a").getAttribute("href") === address);
  if (!anew) return;
  prepare();
  stopAt(anew.closest("[role=tree]"), anew);
  anew.focus();
}

async function showMore(link) {
  const item = link.parentElement;
  const list = item.parentElement;
  const at = [...list.children].indexOf(item);
  await load(link, "GET", link.href, item, "outerHTML");
  prepare();
  stopAt(list.closest("[role=tree]"), list.children[at]);
  list.children[at].focus();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[role=tree] a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const isFile = "open" in link.dataset && !("more" in link.dataset);
  // On a narrow screen a file is a page of its own, and so it is where more of the page goes with it.
  if (isFile && (narrow.matches || "whole" in link.closest("[role=tree]").dataset)) return;
  event.preventDefault();
  if (isFile) load(link, "GET", link.href, "#detail", "innerHTML");
  else if ("more" in link.dataset) showMore(link);
  else openFolder(link);
});

// One tab stop in the tree, on the row of the page.
function prepare() {
  for (const tree of document.querySelectorAll("[role=tree]")) {
    const items = [...tree.querySelectorAll("[role=treeitem]")];
    let stop = items.find((item) => item.tabIndex === 0);
    for (const item of items) {
      const link = item.querySelector("a");
      const selected = link.pathname === window.location.pathname && !item.matches(".more");
      item.setAttribute("aria-selected", String(selected));
      link.tabIndex = -1;
      if (item !== stop) item.tabIndex = -1;
      if (selected && document.activeElement !== stop) stop = item;
    }
    stopAt(tree, stop ?? items[0]);
  }
}

function stopAt(tree, stop) {
  for (const item of tree.querySelectorAll("[role=treeitem][tabindex='0']")) item.tabIndex = -1;
  if (stop) stop.tabIndex = 0;
}

// The marks of the file on the page may have changed with it.
function renewMarks() {
  const marks = document.querySelector("#detail template[data-marks]");
  const row = document.querySelector("[role=treeitem][aria-selected=true] > [data-open]");
  if (!marks || !row) return;
  for (const mark of row.querySelectorAll("i:not(.off), em")) mark.remove();
  row.querySelector(".nm").after(marks.content.cloneNode(true));
}

function settle() {
  prepare();
  renewMarks();
}

settle();
document.addEventListener("htmx:afterSettle", settle);
document.addEventListener("htmx:pushedIntoHistory", settle);
