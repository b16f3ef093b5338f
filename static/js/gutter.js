// The numbers of the lines in the editor. Lines wrap, so that the text lies once more, unseen, behind the field: laid out
// as there, scrolled with it, each line with its number. Only what changed of it is made anew.
const MOST_LINES = 2_000;
const MOST_CHARACTERS = 200_000;
const drawn = new WeakMap();
let frame = 0;

// Past those a key would take too long.
const numbered = (whole, lines) => lines.length <= MOST_LINES && whole.length <= MOST_CHARACTERS;

function draw(text) {
  const gutter = text.previousElementSibling;
  const before = drawn.get(gutter) ?? [];
  let lines = text.value.split("\n");
  gutter.hidden = !numbered(text.value, lines);
  if (gutter.hidden) lines = [];
  const most = Math.min(before.length, lines.length);
  let start = 0;
  while (start < most && before[start] === lines[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === lines.at(-1 - end)) end += 1;
  const range = document.createRange();
  range.setStart(gutter, start);
  range.setEnd(gutter, before.length - end);
  range.deleteContents();
  const changed = document.createDocumentFragment();
  for (const line of lines.slice(start, lines.length - end)) {
    changed.appendChild(document.createElement("div")).textContent = line;
  }
  range.insertNode(changed);
  drawn.set(gutter, lines);
  follow(text);
}

function follow(text) {
  text.previousElementSibling.scrollTop = text.scrollTop;
}

function prepare() {
  const text = document.querySelector("[data-write] textarea");
  if (!text || text.previousElementSibling) return;
  const gutter = document.createElement("div");
  gutter.className = "gut";
  gutter.ariaHidden = "true";
  text.before(gutter);
  text.addEventListener("scroll", () => follow(text), { passive: true });
  text.addEventListener("input", () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => draw(text));
  });
  draw(text);
}

prepare();
document.addEventListener("htmx:afterSettle", prepare);
