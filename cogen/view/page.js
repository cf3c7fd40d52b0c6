"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const main = document.querySelector("main");
const aside = document.querySelector("aside");
const panes = [...document.querySelectorAll(".pane")];
const intro = aside.innerHTML;
const elements = new Map();
for (const element of document.querySelectorAll("[data-p], [data-q]")) {
  for (const place of (element.dataset.p || element.dataset.q).split(" ")) {
    if (!elements.has(place)) elements.set(place, []);
    elements.get(place).push(element);
  }
}
const sourced = [...document.querySelectorAll(".source [data-p]")];
const order = [...new Set(sourced.map((element) => element.dataset.p))];
let over = null;
let pinned = null;

function mark(place, name, on) {
  for (const element of elements.get(place) || []) element.classList.toggle(name, on);
}

function hover(place) {
  if (place === over) return;
  if (over !== null) mark(over, "on", false);
  over = place;
  if (over !== null) mark(over, "on", true);
}

function placeOf(target) {
  const element = target instanceof Element ? target.closest("[data-p]") : null;
  return element && element.dataset.p.split(" ")[0];
}

function bring(element) {
  const box = element.closest(".scroll");
  const frame = box.getBoundingClientRect();
  const at = element.getBoundingClientRect();
  if (at.top < frame.top || at.top > frame.bottom - 24) box.scrollTop += at.top - frame.top - frame.height / 3;
  if (at.left < frame.left + 40 || at.left > frame.right - 40) box.scrollLeft += at.left - frame.left - 90;
}

function markAll(place, on) {
  mark(place, "pin", on);
  for (const one of (data.places[place] || {}).via || []) mark(one, "via", on);
}

function pin(place, origin) {
  if (pinned !== null) markAll(pinned, false);
  pinned = place;
  if (place === null) {
    aside.innerHTML = intro;
    remember(" ");
    return;
  }
  markAll(place, true);
  for (const pane of panes) {
    if (pane.hidden || pane === origin) continue;
    const led = [place, ...((data.places[place] || {}).via || [])];
    const first = led.flatMap((one) => elements.get(one) || []).find((element) => pane.contains(element));
    if (first) bring(first);
  }
  tell(place);
  remember("#p" + place);
}

function remember(hash) {
  if (location.protocol !== "about:") history.replaceState(null, "", hash.trim() || location.pathname + location.search);
}

function make(tag, text, name) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (name) element.className = name;
  return element;
}

function tell(place) {
  const found = data.places[place];
  aside.replaceChildren();
  if (!found) return;
  const head = make("h2");
  head.append(make("code", found.text), make("small", found.at));
  aside.append(head);
  const list = make("dl");
  for (const note of found.notes) {
    const said = make("dd", note.said);
    const rule = data.rules[note.rule];
    if (rule) said.append(make("small", rule.law + " — " + rule.source));
    const row = make("div");
    row.append(make("dt", note.verdict, note.shade), said);
    list.append(row);
  }
  if (found.notes.length) aside.append(list);
  if (found.made) aside.append(make("p", found.made, "quiet"));
  for (const one of found.via || []) {
    const led = data.places[one];
    const line = make("p", found.by || "Reached from ", "quiet");
    const link = make("a", led.text);
    link.href = "#p" + one;
    link.addEventListener("click", (event) => { pin(one, null); event.preventDefault(); });
    line.append(link, make("small", led.at));
    aside.append(line);
  }
  aside.scrollTop = 0;
}

function toggle(button) {
  const on = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(on));
  if (button.dataset.pane) {
    document.getElementById(button.dataset.pane).hidden = !on;
    keep();
  } else {
    for (const other of document.querySelectorAll("nav button[data-heat]")) {
      const chosen = on && other === button;
      other.setAttribute("aria-pressed", String(chosen));
      document.body.classList.toggle(other.dataset.heat, chosen);
    }
  }
}

function keep() {
  const shown = Object.fromEntries(panes.map((pane) => [pane.id, !pane.hidden]));
  try { sessionStorage.setItem("cogen", JSON.stringify(shown)); } catch { /* a frame has none */ }
}

function resume() {
  let shown = {};
  try { shown = JSON.parse(sessionStorage.getItem("cogen")) || {}; } catch { return; }
  for (const button of document.querySelectorAll("nav button[data-pane]")) {
    const pane = document.getElementById(button.dataset.pane);
    if (pane.id in shown && shown[pane.id] === pane.hidden) toggle(button);
  }
}

function step(key) {
  const here = pinned === null ? -1 : order.indexOf(pinned);
  if (key === "ArrowRight" || key === "j") return order[Math.min(here + 1, order.length - 1)];
  if (key === "ArrowLeft" || key === "k") return order[Math.max(here - 1, 0)];
  const element = document.querySelector(`.source [data-p="${CSS.escape(pinned || order[0])}"]`);
  if (!element) return null;
  if (key === "ArrowUp" || key === "u") return placeOf(element.parentElement) || null;
  const inner = [...document.querySelectorAll(`.source [data-p="${CSS.escape(pinned || order[0])}"] [data-p]`)];
  return inner.length ? inner[0].dataset.p : null;
}

main.addEventListener("pointerover", (event) => hover(placeOf(event.target)));
main.addEventListener("pointerleave", () => hover(null));
main.addEventListener("click", (event) => {
  if (String(getSelection())) return;
  const place = placeOf(event.target);
  pin(place === pinned ? null : place, event.target.closest(".pane"));
});
for (const button of document.querySelectorAll("nav button")) {
  button.addEventListener("click", () => toggle(button));
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.closest("input, select, textarea")) return;
  const arrows = event.key.startsWith("Arrow") && !target.closest("pre:not(.source)");
  if (arrows || "jku".includes(event.key)) {
    const next = step(event.key);
    if (next) {
      pin(next, null);
      event.preventDefault();
    }
  } else if (event.key === "Escape") {
    pin(null, null);
  } else {
    const button = document.querySelector(`nav button[data-key="${CSS.escape(event.key)}"]`);
    if (button) toggle(button);
  }
});
const player = document.querySelector(".player");
if (player) {
  resume();
  for (const field of player.querySelectorAll("[data-submits]")) {
    field.addEventListener("change", () => player.submit());
  }
}
for (const pane of panes) {
  const first = pane.querySelector("span[data-p]");
  const box = pane.querySelector(".scroll");
  if (first) box.scrollTop = Math.max(0, first.getBoundingClientRect().top - box.getBoundingClientRect().top - 60);
}
if (/^#p\d+$/.test(location.hash) && data.places[location.hash.slice(2)]) pin(location.hash.slice(2), null);
