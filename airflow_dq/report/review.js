// The pages' script: Airflow's theme, links out of its frame, filters that apply at once, and whether the gate waits.
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
  root.dataset.scripted = "";
  if (window.parent !== window) root.dataset.framed = "";
  addEventListener("storage", applyTheme);

  // Airflow's frame lets no page replace what is around it; a link of the outer document may.
  const leaveFrame = (event) => {
    const link = event.target.closest("a[data-top]");
    if (!link || window.parent === window || event.ctrlKey || event.metaKey || event.shiftKey) return;
    try {
      const outer = window.parent.document.createElement("a");
      Object.assign(outer, { href: link.href, target: link.target, rel: link.rel });
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

  // The overview is narrowed down at once, and its address says to what: nothing is fetched for it.
  const narrow = (form) => {
    const wanted = form.elements.q.value.trim().toLowerCase();
    const state = form.elements.state.value;
    let shown = 0;
    for (const row of document.querySelectorAll(`#${form.dataset.filter} > tbody > tr`)) {
      const fits = row.dataset.name.includes(wanted) && row.dataset.states.split(" ").includes(state);
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    document.querySelector(`[data-nothing="${form.dataset.filter}"]`).hidden = shown > 0;
    const address = new URL(window.location.href);
    for (const [name, value, usual] of [["q", form.elements.q.value.trim(), ""], ["state", state, "all"]]) {
      if (value === usual) address.searchParams.delete(name);
      else address.searchParams.set(name, value);
    }
    history.replaceState(null, "", address);
  };

  document.addEventListener("input", (event) => {
    const form = event.target.form;
    if (form && form.dataset.filter) narrow(form);
  });
  document.addEventListener("click", leaveFrame);
  document.addEventListener("submit", sendOnce);
  document.addEventListener("change", (event) => {
    const sent = event.target.matches(".filters select") || event.target.matches(".filters input[type=date]");
    if (sent || event.target.matches("select[data-go]")) event.target.form.requestSubmit();
  });
  document.addEventListener("DOMContentLoaded", () => {
    // Without an answer the note stays hidden, and the page is complete all the same.
    document.querySelectorAll(".parked[data-waiting]").forEach((note) => void showParked(note).catch(() => {}));
  });
})();
