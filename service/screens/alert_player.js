// The seconds around an alert, picture by picture. Standing still it shows the picture that the service cut out of the film;
// playing, the film itself. What was seen is drawn on top here, so each kind of mark can be put on and off.
(function start() {
  const root = document.getElementById("player"), areas = document.getElementById("player-areas");
  if (!root || !areas || !document.getElementById("player-range")) { setTimeout(start, 60); return; }
  const base = "/api/alerts/" + root.dataset.alert, marks = document.getElementById("player-marks");
  const still = document.getElementById("player-still"), film = document.getElementById("player-film");
  const range = document.getElementById("player-range"), said = document.getElementById("player-said");
  const outlines = JSON.parse(areas.textContent), named = root.dataset.area, kept = "pitwatch.marks";
  const on = Object.assign({ cards: true, chips: true, areas: true, hands: true }, JSON.parse(localStorage.getItem(kept) || "{}"));
  let clip = null, at = 0, playing = false;
  function drawn(tag, how, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const name in how) made.setAttribute(name, how[name]);
    if (text !== undefined) made.textContent = text;
    return made;
  }
  const points = list => list.map(p => p.join(",")).join(" ");
  const seconds = s => Math.floor(s / 60) + ":" + (s % 60).toFixed(2).padStart(5, "0");
  function labelled(kind, x, y, text) { return drawn("text", { class: "mark-text " + kind, x: x, y: y, "font-size": clip.size_px[0] / 70 }, text); }
  function marked(frame) {
    const out = [];
    if (on.areas) for (const name in outlines) out.push(drawn("polygon", { points: points(outlines[name]), class: name === named ? "mark area named" : "mark area" }));
    if (on.hands) for (const hand of frame.hands || []) {
      const [x0, y0, x1, y1] = hand.box_px;
      out.push(drawn("rect", { x: x0, y: y0, width: x1 - x0, height: y1 - y0, class: "mark hand" }), labelled("hand", x0 + 4, y0 + clip.size_px[0] / 60, hand.side || "hand"));
    }
    if (on.cards) for (const card of frame.cards || []) {
      const kind = !card.face_up ? "down" : card.card ? "up" : "unread", top = card.corners_px.reduce((a, b) => a[1] < b[1] ? a : b);
      out.push(drawn("polygon", { points: points(card.corners_px), class: "mark card " + kind }));
      if (card.face_up) out.push(labelled(kind, top[0], top[1] - 4, card.card || "?"));
    }
    if (on.chips) for (const chip of frame.chips || []) {
      out.push(drawn("circle", { cx: chip.center_px[0], cy: chip.center_px[1], r: chip.radius_px, class: "mark chips" }));
      const words = chip.chips ? chip.chips.map(c => c || "?") : [chip.stack ? "stack" : (chip.color || "?")];
      out.push(labelled("chips", chip.center_px[0] + chip.radius_px + 2, chip.center_px[1], [...new Set(words)].map(w => { const n = words.filter(v => v === w).length; return n > 1 ? n + " " + w : w; }).join(", ")));
    }
    return out;
  }
  function tell(n) {
    const frame = clip.frames[n], after = frame.t_s - clip.moment_s;
    at = n; range.value = n; marks.replaceChildren(...marked(frame));
    said.textContent = "picture " + (n + 1) + " of " + clip.frames.length + " · " + seconds(frame.t_s) + " · " + (after < 0 ? "−" : "+") + Math.abs(after).toFixed(2) + " s";
  }
  function show(n) {
    pause(); tell(Math.max(0, Math.min(clip.frames.length - 1, n)));
    const wanted = at; still.hidden = false;
    still.src = base + "/frames/" + wanted + ".jpg";
    for (const next of [wanted + 1, wanted - 1]) if (clip.frames[next]) new Image().src = base + "/frames/" + next + ".jpg";
  }
  function nearest(name, value) { let best = 0; clip.frames.forEach((f, n) => { if (Math.abs(f[name] - value) < Math.abs(clip.frames[best][name] - value)) best = n; }); return best; }
  function follow() {
    if (!playing) return;
    tell(nearest("clip_s", film.currentTime));
    if (film.ended) { show(clip.frames.length - 1); return; }
    requestAnimationFrame(follow);
  }
  function pause() { if (playing) { playing = false; film.pause(); buttons(); } }
  function play() {
    if (playing) { show(at); return; }
    const from = at >= clip.frames.length - 1 ? 0 : at;
    film.currentTime = clip.frames[from].clip_s;
    film.play().then(() => { playing = true; still.hidden = true; buttons(); follow(); }, () => { said.textContent = "This browser cannot play the film; step through it instead"; });
  }
  function buttons() {
    document.getElementById("player-play").firstChild.textContent = playing ? "Pause" : "Play";
    for (const box of root.querySelectorAll("[data-mark]")) { box.classList.toggle("on", on[box.dataset.mark]); box.setAttribute("aria-pressed", String(on[box.dataset.mark])); }
  }
  function mark(name) { on[name] = !on[name]; localStorage.setItem(kept, JSON.stringify(on)); buttons(); if (clip) marks.replaceChildren(...marked(clip.frames[at])); }
  function all() { const some = Object.values(on).some(Boolean); for (const name in on) on[name] = some; for (const name in on) mark(name); }
  window.pitwatchMoment = t_s => { if (clip && t_s >= clip.frames[0].t_s - .2 && t_s <= clip.frames[clip.frames.length - 1].t_s + .2) show(nearest("t_s", t_s)); };
  function ready(got) {
    clip = got; marks.setAttribute("viewBox", "0 0 " + clip.size_px.join(" ")); root.style.setProperty("--shape", clip.size_px.join(" / "));
    range.max = clip.frames.length - 1; range.oninput = () => show(Number(range.value)); film.src = base + "/clip.mp4";
    const acts = { first: () => show(0), back: () => show(at - 1), play: play, on: () => show(at + 1), last: () => show(clip.frames.length - 1), moment: () => show(nearest("t_s", clip.moment_s)) };
    for (const name in acts) document.getElementById("player-" + name).onclick = acts[name];
    for (const box of root.querySelectorAll("[data-mark]")) box.onclick = () => mark(box.dataset.mark);
    const keys = { ",": () => show(at - 1), ".": () => show(at + 1), "<": () => show(at - 10), ">": () => show(at + 10), " ": play, l: all, "[": () => window.pitwatchReplay && window.pitwatchReplay(-1), "]": () => window.pitwatchReplay && window.pitwatchReplay(1) };
    window.pitwatchPlayerKeys = keys; buttons(); show(nearest("t_s", clip.moment_s));
  }
  fetch(base + "/frames").then(answer => answer.json().then(got => answer.ok ? ready(got) : Promise.reject(got.error))).catch(error => {
    root.classList.add("missing"); said.textContent = error && error.message ? error.message + (error.do ? ". " + error.do : "") : "The film cannot be shown";
    window.pitwatchPlayerKeys = { "[": () => window.pitwatchReplay && window.pitwatchReplay(-1), "]": () => window.pitwatchReplay && window.pitwatchReplay(1) };
  });
  document.addEventListener("keydown", event => {
    const where = event.target instanceof Element ? event.target : document.body, act = (window.pitwatchPlayerKeys || {})[event.key];
    if (!act || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (where.closest("input:not([type=range]), textarea, select, .q-menu, .q-dialog") || document.querySelector(".q-dialog__inner, .q-menu")) return;
    if (event.key === " " && where.closest("a, button, summary")) return;
    event.preventDefault(); act();
  });
})();
