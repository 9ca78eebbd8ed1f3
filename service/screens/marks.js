// What was seen in a picture of a clip, as elements of the SVG `over` that is laid over it. `on` says which kinds of marks are wanted.
function pitwatchMarks(over, clip, named, on) {
  const wide = clip.size_px[0], points = list => list.map(p => p.join(",")).join(" ");
  function drawn(tag, how, text) {
    const made = document.createElementNS(over.namespaceURI, tag);
    for (const name in how) made.setAttribute(name, how[name]);
    if (text !== undefined) made.textContent = text;
    return made;
  }
  const labelled = (kind, x, y, text) => drawn("text", { class: "mark-text " + kind, x: x, y: y, "font-size": wide / 70 }, text);
  const counted = words => [...new Set(words)].map(w => { const n = words.filter(v => v === w).length; return n > 1 ? n + " " + w : w; }).join(", ");
  function areas(outlines) {
    const bold = name => name === named;
    return Object.keys(outlines).sort((a, b) => bold(a) - bold(b)).map(name => drawn("polygon", { points: points(outlines[name]), class: bold(name) ? "mark area named" : "mark area" }));
  }
  return frame => {
    const out = on.areas ? areas((clip.areas || [])[frame.areas] || {}) : [];
    if (on.hands) for (const hand of frame.hands || []) {
      const [x0, y0, x1, y1] = hand.box_px;
      out.push(drawn("rect", { x: x0, y: y0, width: x1 - x0, height: y1 - y0, class: "mark hand" }), labelled("hand", x0 + 4, y0 + wide / 60, hand.side || "hand"));
    }
    if (on.cards) for (const card of frame.cards || []) {
      const kind = !card.face_up ? "down" : card.card ? "up" : "unread", top = card.corners_px.reduce((a, b) => a[1] < b[1] ? a : b);
      out.push(drawn("polygon", { points: points(card.corners_px), class: "mark card " + kind }));
      if (card.face_up) out.push(labelled(kind, top[0], top[1] - 4, card.card || "?"));
    }
    if (on.chips) {
      const wagers = {};
      for (const chip of frame.chips || []) {
        out.push(drawn("circle", { cx: chip.center_px[0], cy: chip.center_px[1], r: chip.radius_px, class: "mark chips" }));
        (wagers[chip.area] = wagers[chip.area] || []).push(chip);
      }
      for (const chips of Object.values(wagers)) {
        const words = chips.flatMap(c => c.chips ? c.chips.map(name => name || "?") : [c.stack ? "stack" : (c.color || "?") + " or more"]);
        const x = chips.reduce((sum, c) => sum + c.center_px[0], 0) / chips.length, y = Math.max(...chips.map(c => c.center_px[1] + c.radius_px));
        out.push(labelled("chips", x, y + wide / 80, counted(words)));
      }
    }
    if (frame.gap) out.push(drawn("rect", { x: 0, y: 0, width: wide, height: wide / 34, class: "mark-banner" }), drawn("text", { class: "mark-text gap", x: wide / 2, y: wide / 47, "font-size": wide / 64, "text-anchor": "middle" }, frame.gap));
    return out;
  };
}
// The number of the row whose `name` (a time) is nearest to a value.
function pitwatchNearest(frames, name, value) {
  let best = 0;
  frames.forEach((frame, n) => { if (Math.abs(frame[name] - value) < Math.abs(frames[best][name] - value)) best = n; });
  return best;
}
