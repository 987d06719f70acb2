// Hover in both directions: a line of source lights its rows of code, a row of code lights its line.
"use strict";
const lines = JSON.parse(document.getElementById("lines").textContent);
const byLine = new Map();
for (const one of document.querySelectorAll("[data-l]")) {
  const key = one.dataset.l;
  if (!byLine.has(key)) byLine.set(key, []);
  byLine.get(key).push(one);
}
let lit = null, pinned = false;
function element(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}
function detail(key) {
  const box = document.getElementById("detail"), one = lines[Number(key)];
  box.replaceChildren();
  if (!one) return;
  const head = element("p");
  head.append(element("b", one.line ? `line ${one.line} ` : ""), element("code", one.text.trim()));
  box.append(head);
  for (const [title, rows] of one.detail) {
    box.append(element("h3", title));
    for (const row of rows) box.append(element("p", row));
  }
}
function light(key, from) {
  if (key === lit) return;
  for (const one of byLine.get(lit) || []) one.classList.remove("lit");
  lit = key;
  const seen = new Set(from ? [from.parentElement] : []);
  for (const one of byLine.get(key) || []) {
    one.classList.add("lit");
    const pane = one.closest(".pane");
    if (pane && !seen.has(pane)) {
      seen.add(pane);
      pane.scrollTop = one.offsetTop - pane.offsetTop - pane.clientHeight / 3;
    }
  }
  detail(key);
}
document.addEventListener("mouseover", (event) => {
  const one = event.target.closest("[data-l]");
  if (one && !pinned) light(one.dataset.l, one);
});
document.addEventListener("click", (event) => {
  const one = event.target.closest("[data-l]");
  if (!one) return;
  pinned = !pinned || one.dataset.l !== lit;
  light(one.dataset.l, one);
});
