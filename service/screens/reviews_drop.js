(function start() {
  if (!document.getElementById("drop-said")) { setTimeout(start, 50); return; }
  // A recording goes as the body of one request, straight to the disk; nothing of it is held in the page.
  const drop = document.getElementById("drop"), pick = document.getElementById("pick");
  const table = document.getElementById("drop-table"), began = document.getElementById("drop-began"), said = document.getElementById("drop-said");
  const waiting = []; let busy = false;
  function say(text, wrong) { said.textContent = text; said.className = "said" + (wrong ? " wrong" : ""); }
  function next() {
    if (busy || !waiting.length) return;
    const file = waiting.shift(), request = new XMLHttpRequest(); busy = true;
    request.open("POST", "/api/reviews/upload?name=" + encodeURIComponent(file.name) + "&table_id=" + encodeURIComponent(table.value) + "&recorded=" + encodeURIComponent(began.value && began.value + began.dataset.zone));
    request.upload.onprogress = e => say("Sending " + file.name + ": " + Math.floor(100 * e.loaded / Math.max(1, e.total)) + "%");
    request.onload = function () {
      busy = false;
      if (request.status === 201) { say(file.name + " is in the queue"); next(); return; }
      let error = { message: "the service answered " + request.status };
      try { error = JSON.parse(request.responseText).error; } catch (ignored) { /* no answer of this service */ }
      say([error.where, error.message].filter(Boolean).join(": ") + (error.do ? ". " + error.do : ""), true); next();
    };
    request.onerror = function () { busy = false; say(file.name + " could not be sent; drop it again", true); next(); };
    say("Sending " + file.name); request.send(file);
  }
  function take(files) { waiting.push(...files); next(); }
  drop.addEventListener("click", () => pick.click());
  pick.addEventListener("change", () => { take(pick.files); pick.value = ""; });
  for (const kind of ["dragenter", "dragover"]) drop.addEventListener(kind, e => { e.preventDefault(); drop.classList.add("over"); });
  for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, e => { e.preventDefault(); drop.classList.remove("over"); });
  drop.addEventListener("drop", e => take(e.dataTransfer.files));
})();
