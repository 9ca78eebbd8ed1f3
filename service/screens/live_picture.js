// The next picture is asked for when the last one has come, so a slow line never falls behind.
(function () {
  function next() {
    const shown = document.getElementById("live-picture"), table = window.pitwatchTable;
    if (!shown || !table || document.hidden) { setTimeout(next, 400); return; }
    const coming = new Image();
    coming.onload = function () { shown.src = coming.src; setTimeout(next, 200); };
    coming.onerror = function () { setTimeout(next, 1000); };
    coming.src = "/api/tables/" + encodeURIComponent(table) + "/picture.jpg?width=1280&at=" + Date.now();
  }
  next();
})();
