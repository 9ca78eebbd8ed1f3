// Small helpers of the pages that are drawn by the browser itself: elements, the interface, messages.
(function () {
  "use strict";
  function h(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (name === "class") made.className = value;
      else if (name === "value") made.value = value;
      else made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined));
    return made;
  }
  async function ask(method, path, body) {
    let answer;
    try {
      answer = await fetch(path, { method, headers: body ? { "Content-Type": "application/json" } : {}, body: body ? JSON.stringify(body) : undefined });
    } catch (error) {
      throw new Error("The service does not answer. Nothing was lost here: try again in a moment.");
    }
    if (answer.status === 401) { location.reload(); throw new Error("You are signed out."); }
    if (answer.status === 204) return null;
    const read = await answer.json().catch(() => null);
    if (!answer.ok) {
      const told = (read && read.error) || { message: "something went wrong" };
      const failed = new Error([sentence(told.message), told.do ? told.do + "." : ""].filter(Boolean).join(" "));
      failed.where = told.where || "";
      failed.status = answer.status;
      throw failed;
    }
    return read;
  }
  function sentence(text) {
    return text ? text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".") : "";
  }
  function confirmed(title, about, act, danger) {
    return new Promise((done) => {
      const reason = about.reason ? h("input", { class: "box", type: "text", maxlength: 300, "aria-label": about.reason, placeholder: about.reason }) : null;
      const said = h("div", { class: "wrong", role: "alert" });
      const form = h("form", { method: "dialog", class: "sheet-dialog" },
        h("h2", {}, title), h("p", {}, about.text), reason, said,
        h("div", { class: "act right" },
          h("button", { type: "button", class: "plain", onclick: () => dialog.close() }, "Cancel"),
          h("button", { type: "submit", class: "plain " + (danger ? "confirm" : "main") }, act)));
      const dialog = h("dialog", { class: "asked" }, form);
      let answer = null;
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (reason && !reason.value.trim()) { said.textContent = "A reason is needed: it stands in the log and on the screens."; reason.focus(); return; }
        answer = reason ? reason.value.trim() : true;
        dialog.close();
      });
      dialog.addEventListener("close", () => { dialog.remove(); done(answer); });
      document.body.append(dialog);
      dialog.showModal();
      (reason || form.querySelector(".main, .confirm")).focus();
    });
  }
  window.pw = { h, ask, confirmed, sentence };
})();
