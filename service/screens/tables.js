// The tables' overview: what every table does and how well it is watched, brought up to date every two seconds.
(function () {
  "use strict";
  const { h, ask, confirmed } = window.pw;
  const CAUSES = {
    camera_lost: "no pictures come", camera_frozen: "the picture is frozen", camera_black: "the picture is dark", camera_blocked: "the view is blocked",
    camera_corrupt: "the pictures are damaged", camera_resized: "the pictures have another size", camera_moved: "the camera was moved",
    uncalibrated: "the table is not found in the picture", paused: "paused",
    program_fault: "a mistake in Pitwatch keeps it from being watched",
  };
  function ago(utc) {
    if (!utc) return "none yet";
    const s = Math.max(0, (Date.now() - Date.parse(utc)) / 1000);
    return s < 90 ? Math.round(s) + " s ago" : s < 5400 ? Math.round(s / 60) + " min ago" : new Date(utc).toISOString().slice(0, 16).replace("T", " ") + " UTC";
  }
  function calibration(of) {
    if (of.state === "by prints") return [of.error_px.toFixed(2) + " px", of.error_mm.toFixed(2) + " mm on the felt", of.error_px <= 0.6 ? "good" : "due"];
    if (of.state === "by points") return ["by four points", "error not measured", "due"];
    if (of.state === "lost") return ["lost", "being found anew", "bad"];
    return ["not yet", "", "due"];
  }
  function level(share) { return share === null ? "" : share >= 0.99 ? "good" : share >= 0.9 ? "due" : "bad"; }
  function share(value) { return value === null ? "–" : (100 * value).toFixed(value >= 0.9995 || value === 0 ? 0 : 1) + "%"; }
  function game(name) { return name.replaceAll("_", " ").replace(/\b\w/g, (sign) => sign.toUpperCase()); }

  function start(root) {
    const may = JSON.parse(root.dataset.may), list = h("div", {}), files = h("div", { class: "files" });
    const said = h("div", { class: "wrong", role: "alert", "aria-live": "assertive" });
    const allowed = (what, table) => may[what] === "*" || may[what].includes(table);
    root.append(said, files, list);
    let shown = null, silent = false;

    async function act(deed) {
      said.textContent = "";
      try { await deed(); } catch (error) { said.textContent = error.message; }
      await refresh();
    }
    function pause(table) {
      return act(async () => {
        const reason = await confirmed("Pause " + table + "?", { text: "Nothing is watched until it is resumed, also after a restart. It raises no alert, and the time is declared a coverage gap.", reason: "Reason" }, "Pause");
        if (reason) await ask("POST", "/api/tables/" + encodeURIComponent(table) + "/pause", { reason });
      });
    }
    function remove(table) {
      return act(async () => {
        const sure = await confirmed("Remove " + table + "?", { text: "It is not watched any more. Its file is put away in the folder for removed tables; alerts, rounds and evidence of it stay." }, "Remove " + table, true);
        if (sure) await ask("DELETE", "/api/tables/" + encodeURIComponent(table));
      });
    }
    function actions(one) {
      const to = "/tables/" + encodeURIComponent(one.table_id), out = [];
      if (allowed("operate", one.table_id)) {
        out.push(one.state === "paused"
          ? h("button", { class: "plain small", type: "button", onclick: () => act(() => ask("POST", "/api" + to + "/resume")) }, "Resume")
          : h("button", { class: "plain small", type: "button", onclick: () => pause(one.table_id) }, "Pause"));
      }
      if (may.fixed || !allowed("configure", one.table_id)) return out;
      return [...out, h("a", { class: "plain small", href: to }, "Change"), h("a", { class: "plain small", href: to + "?calibrate" }, "Calibrate"),
        h("button", { class: "plain small", type: "button", onclick: () => remove(one.table_id) }, "Remove")];
    }
    function figure(name, value, about, kind) {
      return h("div", { class: "vital" }, h("div", { class: "caption" }, name), h("div", { class: "value " + (kind || "") }, value), h("div", { class: "quiet small" }, about || "\u00a0"));
    }
    const cards = new Map();
    // A card is made once and then only brought up to date, so that nothing moves under a pointer or loses the focus.
    function card(one) {
      if (cards.has(one.table_id)) return cards.get(one.table_id);
      const parts = { thumb: h("div", {}), source: h("div", { class: "quiet small source" }), state: h("div", {}), act: h("div", { class: "act" }), vitals: h("div", { class: "vitals" }), dot: h("span", {}) };
      parts.root = h("section", { "data-table": one.table_id, "aria-label": "table " + one.table_id }, parts.thumb,
        h("div", { class: "table-head" }, h("div", {}, parts.dot, h("b", { class: "name" }, one.table_id), h("span", { class: "quiet" }, game(one.game))), parts.source, parts.state, parts.act), parts.vitals);
      cards.set(one.table_id, parts);
      return parts;
    }
    function bring(parts, one) {
      const health = one.health, found = calibration(health.calibration);
      const why = one.detail || health.gaps.map((cause) => CAUSES[cause] || cause).join(", ");
      parts.root.className = "table-card " + one.state;
      parts.dot.className = "dot " + one.state;
      parts.source.textContent = one.source;
      parts.state.className = one.state === "watching" && !why ? "state good" : one.state === "paused" || one.state === "starting" ? "state due" : "state bad";
      parts.state.textContent = why ? (why.startsWith(one.state) ? why : one.state + ": " + why) : one.state;
      if (parts.act.dataset.state !== one.state) { parts.act.dataset.state = one.state; parts.act.replaceChildren(...actions(one)); }
      const shows = allowed("watch", one.table_id) && one.state !== "paused" && health.frames > 0;
      let thumb = parts.thumb.querySelector("img");
      if (!shows) {
        if (thumb) window.pitwatchPicture.clear(thumb);
        parts.taken = 0;
        parts.thumb.replaceChildren(h("div", { class: "thumb none" }, one.state === "paused" ? "paused" : "no picture"));
      } else {
        if (!thumb) parts.thumb.replaceChildren(h("div", { class: "thumb" }, thumb = h("img", { alt: "the table as it is seen" })));
        if (Date.now() - (parts.taken || 0) > 6000) {
          parts.taken = Date.now();
          window.pitwatchPicture.bring(thumb, one.table_id, 320, () => thumb.isConnected);
        }
      }
      parts.vitals.replaceChildren(
        figure("Frames / s", one.state === "paused" ? "–" : health.fps.toFixed(1), health.frames + " frames"),
        figure("Calibration", found[0], found[1], found[2]),
        figure("Coverage, 1 h", share(health.coverage), health.gaps.length ? CAUSES[health.gaps[0]] || health.gaps[0] : "can be judged", level(health.coverage)),
        figure("Last round", ago(health.last_round_utc), health.rounds + (health.rounds === 1 ? " round" : " rounds")),
        figure("Dropped", String(health.dropped), health.frames ? (100 * health.dropped / (health.frames + health.dropped)).toFixed(2) + "% of all" : "", health.dropped > 0.02 * health.frames ? "due" : ""),
        figure("Reconnects", String(health.reconnects), "", health.reconnects ? "due" : ""),
        ...(health.faults ? [figure("Program errors", String(health.faults), "in the log; also in the feed", "bad")] : []),
        ...(health.rejected ? [figure("Not recorded", String(health.rejected), "kept in a .rejected file", "bad")] : []),
        figure("Open alerts", String(one.alerts.open || 0), (one.alerts.acknowledged || 0) + " acknowledged"));
      return parts.root;
    }
    function welcome() {
      if (!may.add) return h("div", { class: "empty" }, "No table is watched yet. An administrator adds the first one.");
      return h("div", { class: "welcome" }, h("h2", {}, "Add the first table"),
        h("p", {}, "Name its camera, choose the game, enter the Rules Submission, and find the felt in the first picture. Watching begins at once."),
        h("a", { class: "plain main", href: "/tables/new" }, "Add a table"));
    }
    async function refresh() {
      try {
        const tables = await ask("GET", "/api/tables");
        if (silent) { silent = false; said.textContent = ""; }
        for (const name of cards.keys()) if (!tables.some((one) => one.table_id === name)) cards.delete(name);
        const names = tables.map((one) => one.table_id).join(" ");
        tables.forEach((one) => bring(card(one), one));
        if (names !== shown) {
          list.replaceChildren(...(tables.length ? tables.map((one) => card(one).root) : [welcome()]));
          shown = names;
        }
        if (may.reload) await refreshFiles();
      } catch (error) { silent = true; said.textContent = error.message; }
    }
    async function refreshFiles() {
      const waiting = await ask("GET", "/api/tables/files");
      const text = JSON.stringify(waiting);
      if (files.dataset.shown === text) return;
      files.dataset.shown = text;
      files.replaceChildren(...(waiting.length ? [h("div", { class: "standing" },
        h("div", { class: "caption" }, "Files that are not what runs"),
        ...waiting.map((one) => h("div", { class: "standing-row " + one.state }, h("span", { class: "tag " + (one.state === "bad" ? "bad" : "due") }, one.state), h("code", {}, one.file), h("div", {}, one.message.replace(one.file + ": ", "")))),
        h("button", { class: "plain", type: "button", onclick: reload }, "Read the files again"))] : []));
    }
    function reload() {
      return act(async () => { await ask("POST", "/api/tables/reload"); });
    }
    refresh();
    setInterval(() => { if (!document.hidden) refresh(); }, 2000);
  }
  const wait = setInterval(() => { const root = document.getElementById("tables"); if (root) { clearInterval(wait); start(root); } }, 50);
})();
