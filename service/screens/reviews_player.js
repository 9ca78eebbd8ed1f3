(function start() {
  if (!document.getElementById("list")) { setTimeout(start, 50); return; }
  const root = document.getElementById("theatre"), id = root.dataset.review, base = "/api/reviews/" + id;
  const video = document.getElementById("video"), strip = document.getElementById("strip"), list = document.getElementById("list");
  const now = document.getElementById("now"), COLOURS = { critical: "#e5534b", warning: "#d9a441", info: "#5f9bd1" };
  let line = null, events = [], around = [1, 0], shown = "breaches", asked = 0;
  const clock = s => { const w = Math.max(0, Math.floor(s)), h = Math.floor(w / 3600), m = Math.floor(w / 60) % 60; return (h ? h + ":" + String(m).padStart(2, "0") : m) + ":" + String(w % 60).padStart(2, "0"); };
  const made = (tag, kind, text) => { const e = document.createElement(tag); if (kind) e.className = kind; if (text !== undefined) e.textContent = text; return e; };
  const drawn = (tag, given) => { const e = document.createElementNS("http://www.w3.org/2000/svg", tag); for (const k in given) e.setAttribute(k, given[k]); return e; };
  function go(s) { video.currentTime = Math.max(0, Math.min(s, line.seconds)); follow(); }
  function draw() {
    const wide = strip.clientWidth, x = s => s / line.seconds * wide, svg = drawn("svg", { viewBox: "0 0 " + wide + " 74", preserveAspectRatio: "none" });
    for (const r of line.rounds) {
      const left = x(r.opened_s), width = Math.max(2, x(r.closed_s) - left);
      const bar = drawn("rect", { x: left, y: 24, width: width, height: 22, rx: 2, fill: r.complete ? "#274059" : "#1d2d3c", class: "round" });
      bar.appendChild(drawn("title", {})).textContent = r.round_id + ", " + clock(r.opened_s) + " to " + clock(r.closed_s); svg.appendChild(bar);
      if (width > 26) svg.appendChild(Object.assign(drawn("text", { x: left + 6, y: 39 }), { textContent: String(r.number) }));
    }
    for (const f of line.findings) {
      const g = drawn("g", { class: "finding" });
      g.appendChild(drawn("rect", { x: x(f.since_s), y: 50, width: Math.max(3, x(f.t_s) - x(f.since_s)), height: 5, rx: 2, fill: COLOURS[f.severity] || COLOURS.info, opacity: .55 }));
      g.appendChild(drawn("path", { d: "M" + x(f.t_s) + " 6 l6 8 l-6 8 l-6 -8 z", fill: COLOURS[f.severity] || COLOURS.info }));
      g.appendChild(drawn("title", {})).textContent = clock(f.t_s) + " " + f.title; svg.appendChild(g);
    }
    const steps = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200], step = steps.find(s => x(s) > 70) || 7200;
    for (let s = 0; s <= line.seconds; s += step) svg.appendChild(Object.assign(drawn("text", { x: Math.min(x(s) + 2, wide - 34), y: 69 }), { textContent: clock(s) }));
    svg.appendChild(drawn("line", { id: "head", x1: 0, x2: 0, y1: 0, y2: 74, stroke: "#eef2f6", "stroke-width": 1.5 }));
    strip.replaceChildren(svg); follow();
  }
  function scrub(e) { const box = strip.getBoundingClientRect(), s = (e.clientX - box.left) / box.width * line.seconds; const near = line.findings.find(f => Math.abs(f.t_s - s) / line.seconds * box.width < 6); go(near && e.type === "pointerdown" ? Math.max(near.since_s - 1, 0) : s); }
  function breaches() {
    list.replaceChildren(...line.findings.map(f => {
      const row = made("div", "found " + f.severity), top = made("div", "top"); row.dataset.at = f.t_s;
      top.append(made("span", "", clock(f.t_s) + " · " + f.round_id), made("span", "", f.citation.slice(f.citation.indexOf("§"))));
      row.append(top, made("div", "what", f.title), made("div", "quiet small", "Expected: " + f.expected));
      for (const url of f.pictures) { const img = made("img"); img.src = url; img.loading = "lazy"; row.append(img); }
      if (f.alert_id) { const to = made("a", "link", "Alert " + f.alert_id); to.href = "/alerts/" + f.alert_id; to.onclick = e => e.stopPropagation(); row.append(to); }
      row.onclick = () => go(Math.max(f.since_s - 1, 0)); return row;
    }));
    if (!line.findings.length) list.append(made("div", "between quiet", "No breach was found in this recording."));
  }
  async function happened() {
    const t = video.currentTime, round = line.rounds.find(r => t >= r.opened_s - 3 && t <= r.closed_s + 1);
    const span = round ? [round.opened_s - 3, round.closed_s + 1] : [t - 15, t + 15];
    if (t >= around[0] && t <= around[1]) return;
    around = span; const mine = ++asked, answer = await fetch(base + "/events?limit=2000&from_s=" + span[0] + "&to_s=" + span[1]);
    if (mine !== asked) return; events = await answer.json();
    list.replaceChildren(made("div", "between caption", round ? round.round_id : "between rounds"), ...events.map(e => {
      const row = made("div", "happened" + (e.kind === "hand_over" ? " faint" : "")); row.dataset.t = e.t_s;
      const said = made("span"); said.append(made("span", "", e.title), made("span", "quiet", e.said ? " · " + e.said : ""));
      row.append(made("span", "t", clock(e.t_s) + "." + Math.floor(e.t_s * 10 % 10)), said); row.onclick = () => go(e.t_s); return row;
    }));
  }
  function round() {
    const t = video.currentTime, r = line.rounds.find(o => t >= o.opened_s && t <= o.closed_s), key = r ? r.round_id : "";
    if (now.dataset.round === key) return; now.dataset.round = key;
    const box = (name, text) => { const e = made("div"); e.append(made("span", "quiet small", name), made("b", "cards", text || "not seen")); return e; };
    now.replaceChildren(...(r ? [box(r.round_id, clock(r.opened_s) + " to " + clock(r.closed_s)), ...(r.community || !r.dealer ? [box("community", r.community)] : []), ...(r.dealer ? [box("dealer", r.dealer)] : []), ...r.seats.map(s => box("seat " + s.seat + (s.folded ? ", folded" : ""), s.cards))] : []));
  }
  async function follow() {
    if (!line) return; const head = document.getElementById("head"), x = video.currentTime / line.seconds * strip.clientWidth;
    if (head) { head.setAttribute("x1", x); head.setAttribute("x2", x); }
    round(); if (shown !== "events") return; await happened();
    let last = null; for (const row of list.querySelectorAll(".happened")) { const past = Number(row.dataset.t) <= video.currentTime + .05; row.classList.toggle("past", past); row.classList.remove("now-on"); if (past) last = row; }
    if (last) { last.classList.add("now-on"); if (!list.matches(":hover")) list.scrollTop = last.offsetTop - list.offsetTop - list.clientHeight / 2; }
  }
  function show(name) { shown = name; around = [1, 0]; for (const b of document.querySelectorAll(".tabs button")) b.classList.toggle("on", b.dataset.list === name); if (name === "breaches") breaches(); else follow(); }
  for (const b of document.querySelectorAll(".tabs button")) b.addEventListener("click", () => show(b.dataset.list));
  strip.addEventListener("pointerdown", e => { if (!line) return; strip.setPointerCapture(e.pointerId); scrub(e); });
  strip.addEventListener("pointermove", e => { if (line && e.buttons) scrub(e); });
  video.addEventListener("timeupdate", follow); video.addEventListener("seeked", follow);
  video.addEventListener("error", () => { document.getElementById("unplayable").hidden = false; });
  document.addEventListener("keydown", e => { if (!line || e.target.closest("input")) return; const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key]; if (by) { go(video.currentTime + by * (e.shiftKey ? 10 : 1)); e.preventDefault(); } });
  window.addEventListener("resize", () => line && draw());
  fetch(base + "/timeline").then(a => a.json()).then(got => { line = got; show("breaches"); draw(); const at = Number(root.dataset.at); if (at > 0) go(at); });
})();
