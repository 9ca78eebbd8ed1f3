// Says so when nothing has come of the service for some seconds: a list that stands still must not look like a quiet night.
(function () {
  "use strict";
  const SILENT_AFTER_MS = 5000;
  const said = document.createElement("div");
  said.className = "alarm silent-service";
  said.setAttribute("role", "alert");
  let heard = Date.now(), last = "";
  // The service writes the clock anew all the time.
  setInterval(() => {
    const clock = document.querySelector(".strip .clock"), now = clock ? clock.textContent : "";
    if (now !== last) { last = now; heard = Date.now(); }
    const silent = last !== "" && Date.now() - heard > SILENT_AFTER_MS;
    if (silent === said.isConnected) return;
    document.body.classList.toggle("silent", silent);
    if (!silent) { said.remove(); return; }
    said.textContent = "Nothing has come from the service since " + last + ": alerts and pictures here may be old.";
    document.body.append(said);
  }, 500);
})();
