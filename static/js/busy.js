// A target that has waited for 300 ms says so: aria-busy for ears, a line on top for eyes.
const WAIT_MS = 300;
const timers = new WeakMap();

document.addEventListener("htmx:beforeRequest", ({ detail: { target, xhr } }) => {
  timers.set(
    xhr,
    setTimeout(() => {
      target.setAttribute("aria-busy", "true");
      target.dataset.loading = "";
    }, WAIT_MS),
  );
});

document.addEventListener("htmx:afterRequest", ({ detail: { target, xhr } }) => {
  clearTimeout(timers.get(xhr));
  if (!("loading" in target.dataset)) return;
  target.removeAttribute("aria-busy");
  delete target.dataset.loading;
});
