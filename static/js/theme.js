// Changing the theme shows at once; the form tells the server, which sets it on the next page.
document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-theme-form]");
  const theme = event.submitter?.value;
  if (!form || !theme) return;
  event.preventDefault();
  const root = document.documentElement;
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  for (const button of document.querySelectorAll("[data-theme-form] button")) {
    button.setAttribute("aria-pressed", String(button.value === theme));
  }
  const choice = new FormData(form);
  choice.set("theme", theme);
  // Sent also when the page is left at once.
  fetch(form.action, { method: "POST", body: choice, redirect: "manual", keepalive: true });
});
