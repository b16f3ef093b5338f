// Lines of a file. A click on one, or Enter on its number, opens its menu in place; arrows go from number to number.
// Who wrote what: a click on a source tells of it beside the text. Without script each of these is a page.
const NUMBER = "[data-lines] a[href^='?']:not(.linebar a)";
const BLOCKS = "[data-lines] :is(tr, p, h2, h3, h4, h5, h6, li, pre)";
const NEXT = "a[href^='?'], ul, ol, p, pre, blockquote, table";

const plainClick = (event) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button);

function close() {
  for (const bar of document.querySelectorAll("[data-lines] .linebar")) bar.remove();
  for (const number of document.querySelectorAll("[data-lines] [aria-current]")) number.removeAttribute("aria-current");
  for (const row of document.querySelectorAll("[data-lines] .sel")) row.classList.remove("sel");
}

function menuOf(line) {
  const bar = document.querySelector("template[data-linebar]").content.firstElementChild.cloneNode(true);
  bar.setAttribute("aria-label", `Line ${line}`);
  for (const link of bar.querySelectorAll("a")) {
    link.setAttribute("href", link.getAttribute("href").replace(/line=0$/, `line=${line}`));
  }
  return bar;
}

function open(number) {
  close();
  const bar = menuOf(number.textContent);
  number.setAttribute("aria-current", "true");
  const row = number.closest(".lines tr");
  if (row) {
    row.classList.add("sel");
    row.cells[1].append(bar);
  } else {
    let after = number.nextSibling;
    while (after && !(after instanceof Element && after.matches(NEXT))) after = after.nextSibling;
    number.parentElement.insertBefore(bar, after);
  }
  stopAt(number);
  history.replaceState(history.state, "", number.href);
  return bar;
}

// In a paragraph of several lines, the one above which the click was not.
function numberAt(block, event) {
  const numbers = [...block.querySelectorAll("a[href^='?']:not(.linebar a)")].filter((link) => link.matches(NUMBER));
  const above = numbers.filter((number) => number.getBoundingClientRect().top <= event.clientY);
  return above.at(-1) ?? numbers[0];
}

document.addEventListener("click", (event) => {
  const number = event.target.closest(NUMBER);
  if (number) {
    if (!plainClick(event)) return;
    event.preventDefault();
    // Enter on a link is a click without a place.
    const bar = open(number);
    if (!event.detail) bar.querySelector("a").focus();
    return;
  }
  const block = event.target.closest(BLOCKS);
  if (!block || event.target.closest("a, button") || !window.getSelection().isCollapsed) return;
  const picked = numberAt(block, event);
  if (picked) open(picked);
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && document.querySelector("[data-lines] .linebar")) {
    const number = document.querySelector("[data-lines] [aria-current]");
    close();
    number?.focus();
    return;
  }
  const number = event.target.closest?.(NUMBER);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!number || !step || event.ctrlKey || event.metaKey || event.altKey) return;
  const numbers = [...document.querySelectorAll(NUMBER)];
  const next = numbers[numbers.indexOf(number) + step];
  if (!next) return;
  event.preventDefault();
  stopAt(next);
  next.focus();
});

// One tab stop for all numbers; the arrows reach the others.
function stopAt(number) {
  for (const other of document.querySelectorAll(NUMBER)) other.tabIndex = other === number ? 0 : -1;
}

function prepare() {
  const numbers = document.querySelectorAll(NUMBER);
  if (numbers.length) stopAt([...numbers].find((number) => number.hasAttribute("aria-current")) ?? numbers[0]);
}

// Who wrote what.
async function tell(link) {
  const group = link.closest("tbody");
  const address = link.getAttribute("href").replace(/#.*/, "");
  await window.htmx.ajax("GET", address, { source: link, target: "#about", select: "#about", swap: "outerHTML" });
  for (const other of document.querySelectorAll("[data-blame] tbody")) {
    other.classList.toggle("on", other.dataset.version === group.dataset.version);
  }
  for (const row of document.querySelectorAll("[data-blame] .sel")) row.classList.remove("sel");
  if (link.closest("td")) link.closest("tr").classList.add("sel");
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-blame] [data-version] a");
  if (!link || !plainClick(event)) return;
  event.preventDefault();
  tell(link);
});

document.addEventListener("mouseover", (event) => {
  const version = event.target.closest("[data-blame] tbody")?.dataset.version;
  for (const group of document.querySelectorAll("[data-blame] tbody")) {
    group.classList.toggle("lit", version !== undefined && group.dataset.version === version);
  }
});

prepare();
document.addEventListener("htmx:afterSettle", prepare);
