// A round played again on the drawn table: a step an event, forwards and back.
(function start() {
  const svg = document.getElementById("replay"), given = document.getElementById("replay-data");
  if (!svg || !given || !document.getElementById("replay-range")) { setTimeout(start, 60); return; }
  const data = JSON.parse(given.textContent), steps = data.steps, range = document.getElementById("replay-range");
  const said = document.getElementById("replay-said"), list = document.getElementById("replay-list");
  const layer = name => document.getElementById("replay-" + name), [wide, high] = data.card_mm;
  const RANKS = { T: "10" };
  let at = 0;
  function drawn(tag, how, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const name in how) made.setAttribute(name, how[name]);
    if (text !== undefined) made.textContent = text;
    return made;
  }
  function clock(s) { const w = Math.max(0, s), m = Math.floor(w / 60); return m + ":" + (w % 60).toFixed(1).padStart(4, "0"); }
  function dollars(cents) { return cents === null ? "?" : "$" + (cents % 100 ? (cents / 100).toFixed(2) : String(cents / 100)); }
  function card(place, offset, up, name) {
    const g = drawn("g", { transform: `translate(${place.x} ${place.y}) rotate(${place.turn}) translate(${offset} 0)`, class: "card" });
    g.appendChild(drawn("rect", { x: -wide / 2, y: -high / 2, width: wide, height: high, rx: 5, class: up ? "face" : "back" }));
    if (!up) g.appendChild(drawn("rect", { x: -wide / 2 + 6, y: -high / 2 + 6, width: wide - 12, height: high - 12, rx: 3, class: "pattern" }));
    else if (!name) g.appendChild(drawn("text", { y: 14, class: "unread" }, "?"));
    else if (name === "Jo") g.appendChild(drawn("text", { y: 8, class: "joker" }, "JOKER"));
    else {
      const kind = "dh".includes(name[1]) ? "red" : "black";
      g.appendChild(drawn("text", { x: -wide / 2 + 5, y: -high / 2 + 27, class: "rank " + kind }, RANKS[name[0]] || name[0]));
      g.appendChild(drawn("use", { href: "#suit-" + name[1], class: kind, transform: "translate(8 16) scale(2)" }));
    }
    return g;
  }
  function cards(step) {
    const by = {};
    for (const one of step.cards) (by[one[0]] = by[one[0]] || []).push(one);
    const out = [];
    for (const area in by) {
      const place = data.places[area];
      if (!place || !place.cards) continue;
      const many = by[area].length, gap = many > 1 ? Math.min(wide + 8, Math.max(10, (place.w - wide - 6) / (many - 1))) : 0;
      by[area].forEach(([, up, name], n) => out.push(card(place, (n - (many - 1) / 2) * gap, up, name)));
    }
    return out;
  }
  function chip(place, dx, dy, text, kind) {
    const g = drawn("g", { transform: `translate(${place.x + dx} ${place.y + dy})`, class: "chip " + kind });
    g.append(drawn("circle", { r: 33 }), drawn("circle", { r: 26, class: "rim" }), drawn("text", { y: 8 }, text));
    return g;
  }
  function show(n) {
    at = Math.max(0, Math.min(steps.length - 1, n)); const step = steps[at]; if (!step) return;
    range.value = at; layer("cards").replaceChildren(...cards(step));
    const places = data.places, lying = [];
    const paid = new Set(step.paid.map(one => one[0]));
    for (const [area, cents] of step.chips) if (places[area]) lying.push(chip(places[area], paid.has(area) ? -32 : 0, paid.has(area) ? 14 : 0, dollars(cents), cents === null ? "unknown" : ""));
    for (const [area, cents] of step.paid) if (places[area]) lying.push(chip(places[area], 32, -14, "+" + dollars(cents), "paid"));
    layer("chips").replaceChildren(...lying);
    const on = places[step.area]; layer("on").replaceChildren(...(on ? [drawn("polygon", { points: on.points, class: step.rests ? "on rests" : "on" })] : []));
    said.textContent = clock(step.t_s) + " · " + step.kind + (step.said ? " · " + step.said : "") + (step.rests ? " · the alert rests on this" : "");
    document.getElementById("replay-count").textContent = (at + 1) + " of " + steps.length;
    for (const row of list.children) {
      const now = Number(row.dataset.n) === at; row.classList.toggle("now-on", now);
      if (now && !list.matches(":hover")) list.scrollTop = row.offsetTop - list.offsetTop - list.clientHeight / 2;
    }
  }
  function go(n) { show(n); if (steps[at] && window.pitwatchMoment) window.pitwatchMoment(steps[at].t_s); }
  list.replaceChildren(...steps.map((step, n) => {
    const row = document.createElement("div"), when = document.createElement("span"), what = document.createElement("span");
    row.className = "replay-step" + (step.rests ? " rests" : ""); row.dataset.n = n;
    when.textContent = clock(step.t_s); what.textContent = step.kind + (step.said ? " · " + step.said : "");
    row.append(when, what); row.onclick = () => go(n); return row;
  }));
  range.max = Math.max(0, steps.length - 1); range.oninput = () => go(Number(range.value));
  document.getElementById("replay-back").onclick = () => go(at - 1);
  document.getElementById("replay-on-step").onclick = () => go(at + 1);
  window.pitwatchReplay = by => go(at + by);
  const last = steps.map(s => s.rests).lastIndexOf(true);
  show(last >= 0 ? last : steps.length - 1);
})();
