// Says so when nothing has come of the service for some seconds: a list that stands still must not look like a quiet night.
(function () {
  "use strict";
  const SILENT_AFTER_MS = 5000, BEGUN_ANEW_AFTER_MS = 20000;
  const said = document.createElement("div");
  said.className = "alarm silent-service";
  said.setAttribute("role", "alert");
  let heard = Date.now(), last = "", asked = 0;
  // A service that answers but has told this page nothing for long has lost it: a room that nobody reloads would stay silent all night.
  const beginAnew = () => {
    if (Date.now() - heard < BEGUN_ANEW_AFTER_MS || Date.now() - asked < SILENT_AFTER_MS) return;
    asked = Date.now();
    fetch("/health", { cache: "no-store" }).then((answer) => {
      if (answer.ok && Date.now() - heard >= BEGUN_ANEW_AFTER_MS) location.reload();
    }, () => {});
  };
  // The service writes the clock anew all the time.
  setInterval(() => {
    const clock = document.querySelector(".strip .clock"), now = clock ? clock.textContent : "";
    if (now !== last) { last = now; heard = Date.now(); }
    const silent = last !== "" && Date.now() - heard > SILENT_AFTER_MS;
    if (silent) beginAnew();
    if (silent === said.isConnected) return;
    document.body.classList.toggle("silent", silent);
    if (!silent) { said.remove(); return; }
    said.textContent = "Nothing has come from the service since " + last + ": alerts and pictures here may be old.";
    document.body.append(said);
  }, 500);
})();
