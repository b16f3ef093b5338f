// A toast goes after ten seconds, but not while somebody points at it or is in it; one of an error stays until it is
// closed, by a button that comes with this script. What sticks to the bottom of a page
// keeps clear of the strip of toasts, and learns here how high it is.
const STAY_MS = 10_000;
const { style } = document.documentElement;
const strip = new ResizeObserver(([{ target }]) => {
  if (target.querySelector(".toast")) style.setProperty("--toasts", `${target.offsetHeight}px`);
  else style.removeProperty("--toasts");
});

function startClocks() {
  strip.disconnect();
  strip.observe(document.querySelector("[data-toasts]"));
  for (const toast of document.querySelectorAll("[data-toast]:not([data-timed])")) {
    toast.dataset.timed = "";
    const leave = () => {
      if (toast.matches(":hover, :focus-within")) setTimeout(leave, STAY_MS);
      else toast.remove();
    };
    setTimeout(leave, STAY_MS);
  }
  for (const toast of document.querySelectorAll(".toast:not([data-toast], [data-closes])")) {
    toast.dataset.closes = "";
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Close";
    close.addEventListener("click", () => {
      toast.remove();
      document.getElementById("main")?.focus();
    });
    toast.append(close);
  }
}

startClocks();
document.addEventListener("htmx:oobAfterSwap", startClocks);
