// A toast goes after ten seconds, but not while somebody points at it or is in it.
const STAY_MS = 10_000;

function startClocks() {
  for (const toast of document.querySelectorAll("[data-toast]:not([data-timed])")) {
    toast.dataset.timed = "";
    const leave = () => {
      if (toast.matches(":hover, :focus-within")) setTimeout(leave, STAY_MS);
      else toast.remove();
    };
    setTimeout(leave, STAY_MS);
  }
}

startClocks();
document.addEventListener("htmx:oobAfterSwap", startClocks);
