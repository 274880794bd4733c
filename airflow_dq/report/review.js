// The review pages' script: the theme of the Airflow around them, links out of its frame, and whether the gate waits.
// The pages work without it.
(() => {
  "use strict";

  const root = document.documentElement;

  // Airflow keeps the theme that its user chose where pages of the same origin can read it.
  const applyTheme = () => {
    let chosen = null;
    try {
      chosen = localStorage.getItem("theme");
    } catch {
      // No storage, no choice: the system's setting stays.
    }
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
    else delete root.dataset.theme;
  };
  applyTheme();
  if (window.parent !== window) root.dataset.framed = "";
  addEventListener("storage", applyTheme);

  // Airflow's frame lets no page replace what is around it; a link of the outer document may.
  const leaveFrame = (event) => {
    const link = event.target.closest("a[data-top]");
    if (!link || window.parent === window || event.ctrlKey || event.metaKey || event.shiftKey) return;
    try {
      const outer = window.parent.document.createElement("a");
      outer.href = link.href;
      window.parent.document.body.append(outer);
      outer.click();
      outer.remove();
      event.preventDefault();
    } catch {
      // Another origin's frame: the link opens inside it.
    }
  };

  // Airflow's own REST interface knows whether the gate is parked.
  const showParked = async (note) => {
    const response = await fetch(note.dataset.waiting, { headers: { Accept: "application/json" } });
    if (response.ok && !(await response.json()).response_received) note.hidden = false;
  };

  // The second click of a double click would only be told that the first one has decided.
  const sendOnce = (event) => {
    const form = event.target;
    if (!form.matches("form.act")) return;
    if (form.classList.contains("sent")) event.preventDefault();
    form.classList.add("sent");
  };

  document.addEventListener("click", leaveFrame);
  document.addEventListener("submit", sendOnce);
  document.addEventListener("change", (event) => {
    if (event.target.matches(".filters select")) event.target.form.requestSubmit();
  });
  document.addEventListener("DOMContentLoaded", () => {
    // Without an answer the note stays hidden, and the page is complete all the same.
    document.querySelectorAll(".parked[data-waiting]").forEach((note) => void showParked(note).catch(() => {}));
  });
})();
