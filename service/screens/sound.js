// Two falling tones for a critical alert, made by the browser itself. A browser plays nothing before it was touched once,
// so the switch says how it is: on, off, on as soon as somebody clicks or presses a key, or that this machine has no audio.
(function () {
  const kept = "pitwatch.sound";
  let context = null, wanted = localStorage.getItem(kept) !== "off";
  function show() {
    const shown = document.getElementById("sound");
    if (!shown) return;
    const state = !wanted ? "off" : !context ? "waiting" : context.state === "running" ? "on" : "silent";
    shown.textContent = { off: "Sound off", waiting: "Sound: click to allow", on: "Sound on", silent: "Sound: no audio here" }[state];
    shown.dataset.sound = state;
    shown.setAttribute("aria-pressed", String(wanted));
  }
  function allow() {
    if (!wanted) return;
    context = context || new AudioContext();
    if (context.state !== "running") context.resume().then(show);
    show();
  }
  function tone(at, hertz) {
    const source = context.createOscillator(), loud = context.createGain();
    source.type = "triangle"; source.frequency.value = hertz;
    loud.gain.setValueAtTime(0.0001, at);
    loud.gain.exponentialRampToValueAtTime(0.35, at + 0.02);
    loud.gain.exponentialRampToValueAtTime(0.0001, at + 0.32);
    source.connect(loud).connect(context.destination); source.start(at); source.stop(at + 0.34);
  }
  window.pitwatchRing = function () {
    window.pitwatchRang = (window.pitwatchRang || 0) + 1;
    if (!wanted || !context || context.state !== "running") return;
    const now = context.currentTime;
    [[0, 988], [0.18, 740], [0.55, 988], [0.73, 740]].forEach(([after, hertz]) => tone(now + after, hertz));
  };
  window.pitwatchSound = function () {
    if (wanted && !context) { allow(); setTimeout(window.pitwatchRing, 60); return; }
    wanted = !wanted; localStorage.setItem(kept, wanted ? "on" : "off");
    if (wanted) { allow(); setTimeout(window.pitwatchRing, 60); }
    show();
  };
  ["pointerdown", "keydown"].forEach(kind => document.addEventListener(kind, event => {
    if (!(event.target instanceof Element && event.target.closest("#sound"))) allow();
  }));
  document.addEventListener("click", event => { if (event.target instanceof Element && event.target.closest("#sound")) window.pitwatchSound(); });
  (function wait() { if (document.getElementById("sound")) show(); else setTimeout(wait, 100); })();
})();
