// The picture of a table while it is set up: the layout drawn over it, four points to drag, a loupe, arrow keys, the error.
(function () {
  "use strict";
  const { h, ask } = window.pw;
  const INK = { wager: "#ffdc3c", cards: "#50dc50", community: "#50dc50", tray: "#5aaae6", shoe: "#5aaae6", rack: "#5aaae6" };
  const PRINT = "rgba(255, 90, 210, .85)", LOUPE = 190, LOUPE_ZOOM = 6, FIND_AFTER_MS = 450;

  // Pixels from table millimetres, by four points: the plane's homography.
  function homography(from, to) {
    const rows = [];
    for (let i = 0; i < 4; i++) {
      const [x, y] = from[i], [u, v] = to[i];
      rows.push([x, y, 1, 0, 0, 0, -u * x, -u * y, u], [0, 0, 0, x, y, 1, -v * x, -v * y, v]);
    }
    for (let c = 0; c < 8; c++) {
      let best = c;
      for (let r = c + 1; r < 8; r++) if (Math.abs(rows[r][c]) > Math.abs(rows[best][c])) best = r;
      if (Math.abs(rows[best][c]) < 1e-12) return null;
      [rows[c], rows[best]] = [rows[best], rows[c]];
      for (let r = 0; r < 8; r++) {
        if (r === c) continue;
        const f = rows[r][c] / rows[c][c];
        for (let k = c; k < 9; k++) rows[r][k] -= f * rows[c][k];
      }
    }
    const m = rows.map((row, i) => row[8] / row[i]);
    return ([x, y]) => { const w = m[6] * x + m[7] * y + 1; return w > 1e-9 ? [(m[0] * x + m[1] * y + m[2]) / w, (m[3] * x + m[4] * y + m[5]) / w] : null; };
  }
  // The same by a whole camera with its lens (calibration/camera.py).
  function lens(model) {
    const R = model.rotation, t = model.translation_mm, K = model.matrix, [k1, k2, p1, p2, k3] = model.distortion;
    return ([X, Y]) => {
      const z = R[2][0] * X + R[2][1] * Y + t[2];
      if (z < 1e-6) return null;
      const x = (R[0][0] * X + R[0][1] * Y + t[0]) / z, y = (R[1][0] * X + R[1][1] * Y + t[1]) / z, r2 = x * x + y * y;
      const radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3));
      const xl = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x), yl = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y;
      return [K[0][0] * xl + K[0][1] * yl + K[0][2], K[1][1] * yl + K[1][2]];
    };
  }
  function dense(points, closed) {
    const out = [];
    const last = closed ? points.length : points.length - 1;
    for (let i = 0; i < last; i++) {
      const a = points[i], b = points[(i + 1) % points.length], n = Math.max(1, Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / 40));
      for (let k = 0; k < n; k++) out.push([a[0] + (b[0] - a[0]) * k / n, a[1] + (b[1] - a[1]) * k / n]);
    }
    if (!closed) out.push(points[points.length - 1]);
    return out;
  }

  window.pw.picture = function (root, hooks) {
    let shot = null, layout = null, points = null, found = null, project = null, active = -1, number = 0, timer = null, start = null, byHand = false;
    const img = h("img", { alt: "first picture of the camera", draggable: "false" }), canvas = h("canvas", { "aria-hidden": "true" });
    const loupe = h("canvas", { class: "loupe", width: LOUPE, height: LOUPE, "aria-hidden": "true" });
    const names = h("ol", { class: "corner-names" }), verdict = h("div", { class: "found", role: "status", "aria-live": "polite" }), seats = h("div", { class: "seat-views" });
    const stage = h("div", { class: "stage" }, img, canvas, loupe), empty = h("div", { class: "stage-empty" }, "Name the camera and take a picture. The felt is found in it by its prints; where that fails, drag four points onto it.");
    const auto = h("button", { class: "plain main", type: "button", onclick: () => find(null) }, "Find it by its prints");
    const hand = h("button", { class: "plain", type: "button", onclick: begin }, "By hand");
    const reset = h("button", { class: "plain", type: "button", onclick: back }, "Reset");
    const prints = h("input", { type: "checkbox", checked: true, onchange: draw });
    const tools = h("div", { class: "stage-tools" }, auto, hand, reset, h("label", { class: "quiet small" }, prints, " prints"));
    const handles = [0, 1, 2, 3].map((n) => {
      const made = h("button", { class: "handle", type: "button", "data-point": n, onpointerdown: (event) => grab(event, n), onkeydown: (event) => nudge(event, n), onfocus: () => { active = n; draw(); }, onblur: () => { active = -1; draw(); } }, String(n + 1));
      stage.append(made);
      return made;
    });
    root.append(tools, h("div", { class: "stage-room" }, empty, stage), verdict, h("div", { class: "stage-foot" }, names, seats));
    stage.hidden = true;
    show();

    async function take(what) {
      const taken = await ask("POST", "/api/camera-pictures", what);
      shot = taken;
      await new Promise((done, failed) => { img.onload = done; img.onerror = () => failed(new Error("The picture cannot be shown.")); img.src = taken.url; });
      stage.hidden = false; empty.hidden = true;
      fit();
      await layoutChanged(true);
    }
    async function layoutChanged(fresh) {
      if (!shot) return;
      const all = await hooks.layoutsOf(hooks.game());
      layout = all.find((one) => one.name === hooks.layout()) || all[0] || null;
      names.replaceChildren(...(layout ? layout.corner_names.map((name) => h("li", {}, name)) : []));
      found = null; points = null; project = null; byHand = false; start = null;
      const saved = fresh ? hooks.saved() : null;
      if (saved) { byHand = true; points = saved.map((one) => [...one]); }
      await find(saved);
      start = points && points.map((one) => [...one]);
    }
    async function find(corners) {
      if (!shot || !layout) return;
      const mine = ++number;
      clearTimeout(timer);
      say(corners ? "Measuring …" : "Looking for the prints of " + layout.name + " …");
      try {
        const read = await ask("POST", shot.url + "/calibration", { layout: layout.name, corners_px: corners });
        if (mine !== number) return;
        found = read;
        byHand = corners !== null;
        if (!corners || read.method === "features") points = read.camera.corners_px.map((one) => [...one]);
        project = lens(read.model);
        if (!start || !corners) start = points.map((one) => [...one]);
        hooks.changed(byHand ? points : null, layout.name);
        verdict.className = "found " + read.quality;
        verdict.replaceChildren(h("b", {}, read.method === "features" ? read.error_px.toFixed(2) + " px" : "not measured"),
          h("span", {}, read.method === "features" ? read.error_mm.toFixed(2) + " mm on the felt, over " + read.marks + " marks" + (byHand ? ", snapped from your points" : ", found by its prints") : "four points alone"),
          h("span", { class: "quiet" }, read.said + "."));
        const hidden = read.out_of_view.length ? h("div", { class: "wrong" }, "Not wholly in the picture: " + read.out_of_view.slice(0, 6).join(", ") + (read.out_of_view.length > 6 ? " and " + (read.out_of_view.length - 6) + " more areas" : "") + ". What happens there is not judged.") : null;
        seats.replaceChildren(...read.seats.map((one) => h("span", { class: "tag " + (one.in_view && one.px_per_mm >= 1 ? "good" : "due"), title: "Scale, and the angle of the view to the vertical. Below 1 px per mm cards are read less often." }, "seat " + one.seat + " · " + one.px_per_mm.toFixed(2) + " px/mm · " + Math.round(one.view_deg) + "°")), hidden || "");
      } catch (error) {
        if (mine !== number) return;
        found = null;
        if (corners) project = homography(layout.corners_mm, points);
        if (!corners && !points) project = null;
        verdict.className = "found bad";
        verdict.replaceChildren(h("b", {}, corners ? "not possible" : "not found"), h("span", {}, error.message));
        seats.replaceChildren();
      }
      show();
    }
    function begin() {
      if (!shot || !layout) return;
      byHand = true;
      if (!points) points = guess();
      project = project || homography(layout.corners_mm, points);
      start = start || points.map((one) => [...one]);
      show();
      handles[0].focus();
    }
    // Somewhere sensible in the middle: the layout as seen from above the dealer, filling two thirds of the picture.
    function guess() {
      const xs = layout.corners_mm.map((p) => p[0]), ys = layout.corners_mm.map((p) => p[1]);
      const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
      const scale = Math.min(shot.width / (x1 - x0), shot.height / (y1 - y0)) * 0.66;
      return layout.corners_mm.map(([x, y]) => [shot.width / 2 - (x - (x0 + x1) / 2) * scale, shot.height / 2 + (y - (y0 + y1) / 2) * scale]);
    }
    function back() {
      if (!start) { find(null); return; }
      points = start.map((one) => [...one]);
      project = homography(layout.corners_mm, points);
      show();
      find(points);
    }
    function moved(n, x, y, later) {
      points[n] = [Math.round(x * 10) / 10, Math.round(y * 10) / 10];
      byHand = true;
      number += 1;
      project = homography(layout.corners_mm, points);
      say("Point " + (n + 1) + " at " + points[n][0].toFixed(1) + ", " + points[n][1].toFixed(1) + " px; measured once it rests.");
      show();
      clearTimeout(timer);
      if (later) timer = setTimeout(() => find(points.map((one) => [...one])), FIND_AFTER_MS);
    }
    function scale() { return img.clientWidth / shot.width; }
    function grab(event, n) {
      event.preventDefault();
      const handle = handles[n], rect = img.getBoundingClientRect(), [x, y] = points[n];
      const off = [event.clientX - rect.left - x * scale(), event.clientY - rect.top - y * scale()];
      handle.focus();
      handle.setPointerCapture(event.pointerId);
      const move = (e) => moved(n, Math.max(-shot.width, Math.min(2 * shot.width, (e.clientX - rect.left - off[0]) / scale())), Math.max(-shot.height, Math.min(2 * shot.height, (e.clientY - rect.top - off[1]) / scale())), false);
      const end = (e) => { handle.removeEventListener("pointermove", move); handle.removeEventListener("pointerup", end); handle.removeEventListener("pointercancel", end); moved(n, points[n][0], points[n][1], true); e.preventDefault(); };
      handle.addEventListener("pointermove", move);
      handle.addEventListener("pointerup", end);
      handle.addEventListener("pointercancel", end);
    }
    function nudge(event, n) {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!by) return;
      event.preventDefault();
      const step = event.shiftKey ? 10 : event.altKey ? 0.1 : 1;
      moved(n, points[n][0] + by[0] * step, points[n][1] + by[1] * step, true);
    }
    function show() {
      const ready = Boolean(shot && layout);
      for (const one of [auto, hand, reset]) one.disabled = !ready;
      handles.forEach((handle, n) => {
        handle.hidden = !(points && byHand) && !(points && found);
        if (!points || !shot) { handle.hidden = true; return; }
        handle.style.left = points[n][0] * scale() + "px";
        handle.style.top = points[n][1] * scale() + "px";
        handle.setAttribute("aria-label", "Point " + (n + 1) + ", " + (layout ? layout.corner_names[n] : "") + ": " + points[n][0].toFixed(1) + ", " + points[n][1].toFixed(1) + " px. Arrow keys move it, with Shift ten pixels, with Alt a tenth.");
      });
      draw();
    }
    function trace(context, place, polygon, closed) {
      let first = true;
      for (const point of dense(polygon, closed)) {
        const at = project(point);
        if (!at || Math.abs(at[0]) > 2e4 || Math.abs(at[1]) > 2e4) { first = true; continue; }
        const [x, y] = place(at);
        if (first) context.moveTo(x, y); else context.lineTo(x, y);
        first = false;
      }
      if (closed) context.closePath();
    }
    function paint(context, place, width) {
      if (prints.checked) {
        context.beginPath();
        for (const line of layout.prints) trace(context, place, line.points_mm, line.closed);
        trace(context, place, layout.outline_mm, true);
        context.strokeStyle = PRINT; context.lineWidth = width; context.stroke();
      }
      for (const area of layout.areas) {
        context.beginPath();
        trace(context, place, area.polygon_mm, true);
        context.strokeStyle = INK[area.kind] || "#fff"; context.lineWidth = 1.5 * width; context.stroke();
      }
    }
    function draw() {
      if (!shot) return;
      const ratio = window.devicePixelRatio || 1, w = img.clientWidth, ht = img.clientHeight;
      canvas.width = Math.round(w * ratio); canvas.height = Math.round(ht * ratio);
      canvas.style.width = w + "px"; canvas.style.height = ht + "px";
      const context = canvas.getContext("2d"), s = scale() * ratio;
      if (project && layout) {
        paint(context, ([x, y]) => [x * s, y * s], ratio);
        context.font = "600 " + 11 * ratio + "px sans-serif"; context.textAlign = "center"; context.fillStyle = "#fff"; context.strokeStyle = "rgba(0,0,0,.8)"; context.lineWidth = 3 * ratio;
        for (const area of layout.areas) {
          if (area.seat !== null && area.kind !== "cards") continue;
          const at = project(area.center_mm);
          if (!at) continue;
          const said = area.seat !== null ? "seat " + area.seat : area.name.split(".").pop().replaceAll("_", " ");
          context.strokeText(said, at[0] * s, at[1] * s); context.fillText(said, at[0] * s, at[1] * s);
        }
      }
      magnify();
    }
    function magnify() {
      loupe.hidden = active < 0 || !points;
      if (loupe.hidden) return;
      const [x, y] = points[active], half = LOUPE / 2 / LOUPE_ZOOM, context = loupe.getContext("2d");
      context.fillStyle = "#000"; context.fillRect(0, 0, LOUPE, LOUPE);
      context.imageSmoothingEnabled = false;
      context.drawImage(img, x - half + 0.5, y - half + 0.5, 2 * half, 2 * half, 0, 0, LOUPE, LOUPE);
      if (project) paint(context, ([u, v]) => [(u - x) * LOUPE_ZOOM + LOUPE / 2, (v - y) * LOUPE_ZOOM + LOUPE / 2], 1.2);
      context.strokeStyle = "#ff5a52"; context.lineWidth = 1; context.beginPath();
      for (const [a, b] of [[[LOUPE / 2, 0], [LOUPE / 2, LOUPE / 2 - 9]], [[LOUPE / 2, LOUPE / 2 + 9], [LOUPE / 2, LOUPE]], [[0, LOUPE / 2], [LOUPE / 2 - 9, LOUPE / 2]], [[LOUPE / 2 + 9, LOUPE / 2], [LOUPE, LOUPE / 2]]]) { context.moveTo(...a); context.lineTo(...b); }
      context.stroke();
      context.strokeRect(0.5, 0.5, LOUPE - 1, LOUPE - 1);
      const px = x * scale(), py = y * scale(), gap = 34;
      loupe.style.left = (px + gap + LOUPE > img.clientWidth ? Math.max(0, px - gap - LOUPE) : px + gap) + "px";
      loupe.style.top = Math.max(0, Math.min(img.clientHeight - LOUPE, py - LOUPE / 2)) + "px";
    }
    function fit() {
      const room = stage.parentElement, w = room.clientWidth, ht = room.clientHeight;
      const s = Math.min(w / shot.width, ht / shot.height);
      img.style.width = Math.floor(shot.width * s) + "px"; img.style.height = Math.floor(shot.height * s) + "px";
      show();
    }
    new ResizeObserver(() => { if (shot) fit(); }).observe(stage.parentElement);
    function say(text) { verdict.className = "found"; verdict.replaceChildren(h("span", { class: "quiet" }, text)); }
    return { take, say, byHand: begin, layoutChanged: () => layoutChanged(false) };
  };
})();
