// Keys, drafts and focus. Without this script every page works by links and forms.
(() => {
  "use strict";
  const all = (selector) => [...document.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  const form = one("#decide");
  const problem = one("#problem");
  if (problem) problem.focus();

  const writing = (target) => target.matches("textarea, select, input:not([type=radio]):not([type=checkbox])");
  const follow = (name) => { const link = one(`[data-go="${name}"]`); if (link) link.click(); };
  const focus = (name) => { const field = one(`[data-key="${name}"]`); if (field) { field.focus(); field.scrollIntoView({ block: "nearest" }); } };
  const pieces = all(".piece");
  let at = -1;
  const current = () => pieces.findIndex((piece) => piece.contains(document.activeElement));
  const step = () => {
    if (!pieces.length) return;
    const inside = current();
    at = ((inside >= 0 ? inside : at) + 1) % pieces.length;
    pieces[at].focus();
    pieces[at].scrollIntoView({ block: "nearest" });
  };
  const judge = (stance) => {
    const inside = current();
    const piece = pieces[inside >= 0 ? inside : Math.max(at, 0)];
    const field = piece && piece.querySelector(`[data-stance="${stance}"]`);
    if (field) { field.checked = true; field.dispatchEvent(new Event("change", { bubbles: true })); }
  };
  const drawer = (name) => { const found = one(`[data-drawer="${name}"]`); if (found) found.open = !found.open; };
  const choose = (digit) => {
    const field = one(`[data-digit="${digit}"]`);
    if (field) { field.focus(); field.checked = true; field.dispatchEvent(new Event("change", { bubbles: true })); }
  };
  const actions = {
    e: step, s: () => judge("supports"), c: () => judge("contradicts"), i: () => judge("irrelevant"),
    o: () => judge("own_style"), r: () => focus("reason"), u: () => focus("undo"), z: () => follow("skip"),
    w: () => follow("twin"), g: () => drawer("guide"), n: () => follow("next"), p: () => follow("previous"),
    "/": () => { if (one('[data-key="search"]')) focus("search"); else location.assign("/queue"); },
    "?": () => location.assign("/keys"),
  };

  document.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && form) {
      event.preventDefault();
      form.requestSubmit(one('[data-key="save"]'));
      return;
    }
    if (event.key === "Escape" && writing(event.target)) { event.target.blur(); return; }
    if (document.body.dataset.keys === "off" || writing(event.target)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^[1-9]$/.test(event.key)) { choose(event.key); event.preventDefault(); return; }
    const act = actions[event.key];
    if (act) { event.preventDefault(); act(); }
  });

  if (!form || !form.dataset.draft) return;
  const told = one("#saved");
  let timer = 0;
  let sending = Promise.resolve();
  let leaving = false;
  const keep = () => {
    const body = new URLSearchParams(new FormData(form));
    sending = sending.then(() => leaving ? null : fetch(form.dataset.draft, { method: "POST", body, keepalive: true }))
      .then((answer) => { if (answer) told.textContent = answer.ok ? "Draft kept." : "The draft could not be kept: the desk has ended or been started anew."; })
      .catch(() => { told.textContent = "The draft could not be kept: the desk does not answer."; });
  };
  const soon = () => { told.textContent = ""; clearTimeout(timer); timer = setTimeout(keep, 400); };
  document.addEventListener("input", (event) => { if (event.target.form === form) soon(); });
  document.addEventListener("change", (event) => { if (event.target.form === form) soon(); });
  form.addEventListener("submit", () => { leaving = true; clearTimeout(timer); });
})();
