// Setting up a table: its camera, its game, its Rules Submission with the chapter's limits checked as it is typed, its picture.
(function () {
  "use strict";
  const { h, ask, sentence } = window.pw;
  const CHECK_AFTER_MS = 300;
  const METHODS = { manual_shoe: "from a manual dealing shoe", hand: "by hand", automated_shoe: "from an automated dealing shoe" };
  const words = (name) => sentence(name.replaceAll("_", " ")).replace(/\.$/, "");
  const cents = (text) => { const clean = text.trim().replace(/[$,]/g, ""); return clean === "" ? null : /^\d+(\.\d{1,2})?$/.test(clean) ? Math.round(Number(clean) * 100) : clean; };
  const dollars = (value) => value === null || value === undefined ? "" : typeof value === "number" ? (value / 100).toFixed(value % 100 ? 2 : 0) : String(value);
  const whole = (text) => /^\d+$/.test(text.trim()) ? Number(text) : text.trim();

  async function start(root) {
    const told = JSON.parse(root.dataset.setup), tableId = told.table_id;
    const games = await ask("GET", "/api/games");
    const before = tableId ? await ask("GET", "/api/tables/" + encodeURIComponent(tableId) + "/config") : null;
    const config = before ? before.config : {
      version: 1, table_id: "", game: games[0].game, rules_submission: { dealing: "manual_shoe", seats: 6, shuffler: { automated: false, counts_cards: false }, decks: 1, paytables: {} }, camera: { source: "" },
    };
    config.camera = config.camera || {};
    let sha = before ? before.sha256 : null, form = null, fields = {}, asYaml = null, checking = 0, timer = null, ok = false, dirty = false, refused = null;

    const left = h("div", { class: "setup-form" }), right = h("div", { class: "setup-picture" });
    root.append(left, right);
    const picture = window.pw.picture(right, {
      layoutsOf: (game) => ask("GET", "/api/games/" + game + "/layouts"),
      game: () => config.game, layout: () => config.layout || null,
      saved: () => (config.camera.corners_px || null),
      changed: (corners, layout) => {
        if (JSON.stringify(corners) === JSON.stringify(config.camera.corners_px || null) && layout === config.layout) return;
        config.camera.corners_px = corners; config.layout = layout; changed();
      },
    });
    const status = h("div", { class: "form-status", role: "status", "aria-live": "polite" });
    const save = h("button", { class: "plain main", type: "button", onclick: apply }, tableId ? "Save" : "Add the table");
    const problems = h("ul", { class: "problems" });

    // -- one field ----------------------------------------------------------------------------------------------------
    function field(key, name, control, section, about) {
      const id = "f-" + key.replaceAll(".", "-");
      const said = h("div", { class: "wrong", id: id + "-said", role: "alert" });
      control.id = id;
      control.setAttribute("aria-describedby", id + "-said");
      const box = h("div", { class: "form-field", "data-key": key },
        h("label", { for: id }, name, section ? h("span", { class: "section" }, section) : null), control, about ? h("div", { class: "quiet small" }, about) : null, said);
      fields[key] = { box, control, said };
      return box;
    }
    function input(value, take, extra) {
      return h("input", Object.assign({ class: "box", type: "text", value: value === null || value === undefined ? "" : String(value), autocomplete: "off", spellcheck: "false",
        oninput: (event) => { take(event.target.value); changed(); } }, extra || {}));
    }
    function choice(value, options, take) {
      const made = h("select", { class: "box", onchange: (event) => { take(event.target.value); changed(); } }, options.map(([key, name]) => h("option", { value: key }, name)));
      made.value = value === null || value === undefined ? "" : String(value);
      return made;
    }
    function tick(key, name, value, take, section) {
      const made = h("input", { type: "checkbox", onchange: (event) => { take(event.target.checked); changed(); } });
      made.checked = Boolean(value);
      const box = field(key, name, made, section);
      box.classList.add("tick");
      return box;
    }
    function put(target, name, value) { if (value === null || value === "" || value === undefined) delete target[name]; else target[name] = value; }

    // -- the form -----------------------------------------------------------------------------------------------------
    async function build() {
      form = await ask("GET", "/api/games/" + config.game);
      fields = {};
      const rules = config.rules_submission;
      rules.shuffler = rules.shuffler || {};
      rules.paytables = rules.paytables || {};
      for (const wager of form.wagers) if (wager.required && !rules.paytables[wager.name]) rules.paytables[wager.name] = wager.paytables[0];
      if (!form.layouts.some((one) => one.name === config.layout) && !before) config.layout = (form.layouts[0] || {}).name;
      const active = left.contains(document.activeElement) ? document.activeElement : {}, focused = active.id || "", marked = [active.selectionStart, active.selectionEnd], was = left.querySelector(".form-scroll"), scrolled = was ? was.scrollTop : 0;
      left.replaceChildren(h("div", { class: "form-scroll" }, asYaml ? yamlForm() : [cameraPart(), gamePart(), rulesPart(rules), wagersPart(rules), housePart(rules), readingsPart()]),
        h("div", { class: "form-foot" }, problems, h("div", { class: "form-acts" }, status, h("button", { class: "link", type: "button", onclick: toggleYaml }, asYaml ? "As a form" : "As YAML"), h("a", { class: "plain", href: "/tables" }, "Cancel"), save)));
      left.querySelector(".form-scroll").scrollTop = scrolled;
      const again = focused ? document.getElementById(focused) : null;
      if (again) {  // whoever types meanwhile goes on typing where they were
        again.focus({ preventScroll: true });
        if (typeof marked[0] === "number" && again.setSelectionRange) again.setSelectionRange(marked[0], marked[1]);
      }
      check();
    }
    function part(title, ...children) { return h("fieldset", {}, h("legend", {}, title), children); }
    function cameraPart() {
      const take = h("button", { class: "plain", type: "button", onclick: takePicture }, "Take a picture");
      const box = field("camera.source", "Camera", input(config.camera.source, (text) => { config.camera.source = text.trim(); }, { placeholder: "rtsp://name:password@10.20.0.7/stream1", onkeydown: (event) => { if (event.key === "Enter") takePicture(); } }), "",
        "A stream's address in " + told.hosts.join(", ") + (told.folders.length ? "; or a file in " + told.folders.join(", ") : "") + (told.devices ? "; or a camera number of the server" : "") + ".");
      box.append(take);
      return part("1  Camera", box);
    }
    async function takePicture() {
      const { source } = config.camera;
      refused = null;
      sayRefused();
      picture.say("Opening the camera …");
      try {
        const same = tableId && before && source === before.config.camera.source;
        await picture.take(same ? { table_id: tableId } : { source });
      } catch (error) {
        refused = { source, text: error.message };
        sayRefused();
        picture.say("");
      }
    }
    function sayRefused() {  // a check of the form that ends later must not wipe it away
      const camera = fields["camera.source"], old = camera && camera.said.querySelector(".refused");
      if (old) old.remove();
      if (camera && refused && refused.source === config.camera.source) camera.said.append(h("div", { class: "refused" }, refused.text));
    }
    function gamePart() {
      const id = input(config.table_id, (text) => { config.table_id = text.trim(); }, { placeholder: "riu-07", maxlength: 64 });
      if (tableId) id.disabled = true;
      return part("2  Table and game",
        field("table_id", "Table id", id, "", tableId ? "What was recorded goes by it, so it stays." : "Short, as the pit calls it: letters, digits, dot, dash."),
        field("game", "Game", choice(config.game, games.map((one) => [one.game, one.title]), chooseGame), form.chapter),
        field("layout", "Layout of the felt", choice(config.layout, [...form.layouts.map((one) => [one.name, one.name + ", " + one.seats + " seats"]), ...(form.layouts.some((one) => one.name === config.layout) || !config.layout ? [] : [[config.layout, config.layout]])], (name) => { config.layout = name; config.camera.corners_px = null; picture.layoutChanged(); })));
    }
    async function chooseGame(game) {
      config.game = game;
      const rules = config.rules_submission;
      rules.paytables = {};
      for (const name of ["progressive_unit_cents", "progressive_linked", "five_card_hand_bonus_linked", "payout_limit_cents", "folded_hands_qualify_progressive", "progressive_system", "electronic_wagering"]) delete rules[name];
      delete config.readings;
      const seats = rules.seats, next = await ask("GET", "/api/games/" + game);
      config.layout = (next.layouts[0] || {}).name;
      if (rules.seats === seats) rules.seats = Math.min(typeof seats === "number" ? seats : 6, (next.layouts[0] || {}).seats || 6);
      config.camera.corners_px = null;
      await build();
      picture.layoutChanged();
    }
    function rulesPart(rules) {
      const shuffler = rules.shuffler, at = "rules_submission.";
      return part("3  Rules Submission",
        h("div", { class: "two" },
          field(at + "seats", "Seats", input(rules.seats, (text) => { rules.seats = whole(text); }, { inputmode: "numeric", maxlength: 3 }), form.seats.section),
          field(at + "decks", "Decks", input(rules.decks === undefined ? 1 : rules.decks, (text) => { rules.decks = whole(text); }, { inputmode: "numeric", maxlength: 2 }), form.decks.section)),
        field(at + "dealing", "Dealing", choice(rules.dealing, form.dealing.map((one) => [one.value, METHODS[one.value] + " (" + one.section + ")"]), (value) => { rules.dealing = value; })),
        tick(at + "shuffler.automated", "An automated card shuffling device is used", shuffler.automated, (on) => { shuffler.automated = on; }, form.decks.two_with_shuffler),
        tick(at + "shuffler.counts_cards", "It counts the cards after each shuffle", shuffler.counts_cards, (on) => { shuffler.counts_cards = on; }),
        tick(at + "shuffler.reshuffles", "It reshuffles by itself, as approved", shuffler.reshuffles, (on) => { if (on) shuffler.reshuffles = true; else { delete shuffler.reshuffles; delete shuffler.approval; } build(); }, form.reshuffler),
        shuffler.reshuffles ? field(at + "shuffler.approval", "Approval", input(shuffler.approval, (text) => put(shuffler, "approval", text.trim())), form.reshuffler) : null,
        field(at + "adjacent_boxes", "Boxes one player may wager on", input(rules.adjacent_boxes === undefined ? 1 : rules.adjacent_boxes, (text) => { rules.adjacent_boxes = whole(text); }, { inputmode: "numeric", maxlength: 2 }), form.boxes.section));
    }
    function wagersPart(rules) {
      const at = "rules_submission.", rows = [];
      for (const wager of form.wagers) {
        const options = [...(wager.required ? [] : [["", "not offered"]]), ...wager.paytables.map((name) => [name, name === "fixed" ? "the odds of the section" : "paytable " + name])];
        rows.push(field(at + "paytables." + wager.name, words(wager.name), choice(rules.paytables[wager.name], options, (value) => { put(rules.paytables, wager.name, value); unitDue(wager, value); build(); }), wager.section));
      }
      const progressive = form.wagers.filter((wager) => wager.units_cents.length && rules.paytables[wager.name]);
      if (progressive.length) {
        const units = [...new Set(progressive.flatMap((wager) => wager.units_cents))].sort((a, b) => a - b);
        rows.push(field(at + "progressive_unit_cents", "Amount of the progressive wager, $", choice(rules.progressive_unit_cents, [["", "choose"], ...units.map((unit) => [String(unit), "$" + dollars(unit)])], (value) => put(rules, "progressive_unit_cents", value ? Number(value) : null)), progressive[0].section));
        if (form.linked) rows.push(tick(at + "progressive_linked", "Its meter is linked with other tables", rules.progressive_linked, (on) => put(rules, "progressive_linked", on || null), form.linked.section));
        if (form.folded_hands_qualify) rows.push(field(at + "folded_hands_qualify_progressive", "Folded hands qualify", choice(rules.folded_hands_qualify_progressive, [["", "the submission does not say"], ["true", "yes"], ["false", "no"]], (value) => put(rules, "folded_hands_qualify_progressive", value === "" ? null : value === "true")), form.folded_hands_qualify));
      }
      if (rules.paytables.five_card_hand_bonus) rows.push(tick(at + "five_card_hand_bonus_linked", "The meter of the Five Card Hand Bonus is linked with other tables", rules.five_card_hand_bonus_linked, (on) => put(rules, "five_card_hand_bonus_linked", on || null), form.hand_bonus_linked));
      const general = field(at + "paytables", "", h("span", {}));
      general.classList.add("only-said");
      return part("4  Wagers and paytables", general, rows);
    }
    function unitDue(wager, paytable) {
      const rules = config.rules_submission;
      if (wager.unit_of_paytable[paytable]) rules.progressive_unit_cents = wager.unit_of_paytable[paytable];
      if (!form.wagers.some((one) => one.units_cents.length && rules.paytables[one.name])) for (const name of ["progressive_unit_cents", "progressive_linked"]) delete rules[name];
      if (!rules.paytables.five_card_hand_bonus) delete rules.five_card_hand_bonus_linked;
    }
    function housePart(rules) {
      const at = "rules_submission.", faces = config.chip_faces, chips = config.chips || (faces ? {} : form.chips.default);
      const picture = (color) => faces ? h("img", { class: "disc", alt: "", src: "data:image/png;base64," + String(faces[color]).replace(/\s+/g, "") }) : h("i", { class: "disc " + color });
      const money = (key, name, section) => field(at + key, name, input(dollars(rules[key]), (text) => put(rules, key, cents(text)), { inputmode: "decimal", placeholder: "none" }), section);
      return part("5  Limits and chips",
        h("div", { class: "two" }, money("minimum_wager_cents", "Lowest base wager, $", ""), form.payout_limit || rules.payout_limit_cents ? money("payout_limit_cents", "Payout limit for a hand, $", (form.payout_limit || {}).section) : null),
        field("chips", "Chip values, $", h("div", { class: "chips" }, (faces ? Object.keys(faces) : form.chips.colors).map((color) => h("label", { class: "chip" }, picture(color), color,
          input(dollars(chips[color]), (text) => { config.chips = Object.assign({}, chips); put(config.chips, color, cents(text)); }, { "aria-label": color + " chips, dollars", inputmode: "decimal", placeholder: "–" }))))),
        tick("chips_spread", "The house lays wagers singly or spread, never stacked", config.chips_spread, (on) => put(config, "chips_spread", on || null)),
        field("idle_after_s", "Idle after so many seconds without play", input(config.idle_after_s === undefined ? 300 : config.idle_after_s, (text) => put(config, "idle_after_s", whole(text)), { inputmode: "numeric" })));
    }
    function readingsPart() {
      const now = config.readings || {};
      return h("details", {}, h("summary", {}, "Readings of ambiguous texts, and facts of the house"), form.readings.map((one) =>
        field("readings." + one.name, one.text, choice(now[one.name] === undefined ? one.values[0] : String(now[one.name]), one.values.map((value, n) => [value, value + (n ? "" : " (default)")]), (value) => {
          config.readings = Object.assign({}, config.readings); put(config.readings, one.name, value === one.values[0] ? null : value);
          if (!Object.keys(config.readings).length) delete config.readings;
        }), one.house ? "fact of the house" : "")));
    }

    // -- YAML ---------------------------------------------------------------------------------------------------------
    function yamlForm() {
      return part("The table's file", h("textarea", { class: "box yaml", spellcheck: "false", "aria-label": "the table's file as YAML", value: asYaml, oninput: (event) => { asYaml = event.target.value; changed(); } }));
    }
    async function toggleYaml() {
      try {
        const read = await ask("POST", "/api/tables/check", body());
        if (asYaml) { Object.keys(config).forEach((name) => delete config[name]); Object.assign(config, read.config); config.camera = config.camera || {}; config.rules_submission = config.rules_submission || {}; asYaml = null; } else asYaml = read.yaml;
        await build();
      } catch (error) { status.textContent = error.message; }
    }

    // -- checking and saving ------------------------------------------------------------------------------------------
    function body() { return asYaml ? { yaml: asYaml, table_id: tableId } : { config: tidy(config), table_id: tableId }; }
    function tidy(value) {
      const copy = JSON.parse(JSON.stringify(value));
      if (!copy.camera.corners_px) delete copy.camera.corners_px;
      if (copy.rules_submission && copy.rules_submission.shuffler && !Object.keys(copy.rules_submission.shuffler).length) delete copy.rules_submission.shuffler;
      return copy;
    }
    function changed() {
      dirty = true;
      clearTimeout(timer);
      timer = setTimeout(check, CHECK_AFTER_MS);
    }
    async function check() {
      const number = ++checking;
      let read;
      try { read = await ask("POST", "/api/tables/check", body()); } catch (error) { read = { ok: false, problems: [{ where: "", what: error.message, section: "", law: "" }] }; }
      if (number !== checking) return;
      ok = read.ok;
      for (const one of Object.values(fields)) { one.said.replaceChildren(); one.control.removeAttribute("aria-invalid"); one.box.classList.remove("bad"); }
      const elsewhere = [];
      let count = 0;
      for (const one of read.problems) {
        if (one.where === "table_id" && !config.table_id && !dirty) { count += 1; continue; }
        const at = fields[one.where] || fields[one.where.split(".").slice(0, -1).join(".")];
        count += 1;
        if (!at) { elsewhere.push(one); continue; }
        if (one.where === "camera.source" && !config.camera.source && !dirty) continue;
        at.box.classList.add("bad");
        at.control.setAttribute("aria-invalid", "true");
        at.said.append(h("div", {}, sentence(readable(one.what)), one.section && !one.what.includes(one.section) ? h("b", {}, " " + one.section) : null), one.law ? h("div", { class: "law-said" }, one.section + ": " + one.law) : "");
      }
      sayRefused();
      problems.replaceChildren(...elsewhere.map((one) => h("li", {}, (one.where ? one.where + ": " : "") + one.what)));
      status.textContent = ok ? "In order" : count === 1 ? "1 thing to put right" : count + " things to put right";
      status.className = "form-status " + (ok ? "good" : "due");
      save.disabled = !ok;
    }
    function readable(what) { return what.replace(/(\d+)( or \d+)? \(cents;/g, (all) => all).replace("shuffler.automated: true", "the box for the shuffling device"); }
    async function apply() {
      await check();
      if (!ok) { const first = Object.values(fields).find((one) => one.box.classList.contains("bad")); if (first) { first.control.scrollIntoView({ block: "center" }); first.control.focus(); } return; }
      save.disabled = true;
      status.textContent = "Applying …";
      try {
        const sent = asYaml ? { yaml: asYaml } : { config: tidy(config) };
        if (tableId) await ask("PUT", "/api/tables/" + encodeURIComponent(tableId) + "/config", Object.assign(sent, { sha256: sha }));
        else await ask("POST", "/api/tables", sent);
        dirty = false;
        location.href = "/tables";
      } catch (error) { status.textContent = error.message; status.className = "form-status bad"; save.disabled = false; }
    }
    addEventListener("beforeunload", (event) => { if (dirty) event.preventDefault(); });
    await build();
    if (tableId) takePicture().then(() => { if (location.search === "?calibrate") picture.byHand(); });
    else left.querySelector("#f-camera-source").focus();
  }
  const wait = setInterval(() => {
    const root = document.getElementById("setup");
    if (!root) return;
    clearInterval(wait);
    start(root).catch((error) => root.append(h("div", { class: "wrong big", role: "alert" }, error.message)));
  }, 50);
})();
