// Shows pictures of live tables, each once it is here whole: one that does not come leaves the last one in its place.
window.pitwatchPicture = (function () {
  "use strict";
  const addresses = new WeakMap();
  function put(image, blob) {
    const last = addresses.get(image);
    if (blob) addresses.set(image, URL.createObjectURL(blob)); else addresses.delete(image);
    if (blob) image.src = addresses.get(image); else image.removeAttribute("src");
    if (last) URL.revokeObjectURL(last);
  }
  // Whether it came. It is shown where it is still wanted by then.
  async function bring(image, table, width, wanted) {
    const answer = await fetch("/api/tables/" + encodeURIComponent(table) + "/picture.jpg?width=" + width + "&at=" + Date.now()).catch(() => null);
    const blob = answer && answer.ok ? await answer.blob().catch(() => null) : null;
    if (blob && wanted()) put(image, blob);
    return blob !== null;
  }
  return { bring, clear: (image) => put(image, null) };
})();
