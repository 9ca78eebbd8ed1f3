// Keys of a page go to the service by their name; never while somebody types, and never while something lies open on top.
(function () {
  const typing = "input, textarea, select, [contenteditable=true], .q-menu, .q-dialog";
  const pressed = "a, button, summary, video";
  document.addEventListener("keydown", function (event) {
    const wanted = window.pitwatchKeys || [], on = event.target instanceof Element ? event.target : document.body;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (on.closest(typing) || document.querySelector(".q-dialog__inner, .q-menu")) return;
    if ((event.key === "Enter" || event.key === " ") && on.closest(pressed)) return;
    if (!wanted.includes(event.key)) return;
    event.preventDefault();
    emitEvent("pitwatch_key", { key: event.key });
  });
  window.addEventListener("popstate", function () { emitEvent("pitwatch_address", { query: location.search }); });
})();
