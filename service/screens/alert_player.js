// The seconds around an alert, picture by picture. Standing still it shows the picture that the service cut out of the film;
// playing, the film itself. What was seen is drawn on top here, so each kind of mark can be put on and off.
(function start() {
  const root = document.getElementById("player");
  if (!root || !document.getElementById("player-range")) { setTimeout(start, 60); return; }
  const base = "/api/alerts/" + root.dataset.alert, marks = document.getElementById("player-marks");
  const still = document.getElementById("player-still"), film = document.getElementById("player-film");
  const range = document.getElementById("player-range"), said = document.getElementById("player-said");
  const kept = "pitwatch.marks";
  const on = Object.assign({ cards: true, chips: true, areas: true, hands: true }, JSON.parse(localStorage.getItem(kept) || "{}"));
  let clip = null, marked = null, at = 0, playing = false;
  const seconds = s => Math.floor(s / 60) + ":" + (s % 60).toFixed(2).padStart(5, "0");
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
  const nearest = (name, value) => pitwatchNearest(clip.frames, name, value);
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
    clip = got; marked = pitwatchMarks(marks, got, root.dataset.area, on); marks.setAttribute("viewBox", "0 0 " + clip.size_px.join(" ")); root.style.setProperty("--shape", clip.size_px.join(" / "));
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
