// The next picture is asked for when the last one has come, so a slow line never falls behind.
(function () {
  "use strict";
  let of = null;
  async function next() {
    const shown = document.getElementById("live-picture"), table = window.pitwatchTable;
    if (!shown || !table || document.hidden) { setTimeout(next, 400); return; }
    if (of !== table) { of = table; window.pitwatchPicture.clear(shown); }
    const came = await window.pitwatchPicture.bring(shown, table, 1280, () => table === window.pitwatchTable);
    setTimeout(next, came ? 200 : 1000);
  }
  next();
})();
