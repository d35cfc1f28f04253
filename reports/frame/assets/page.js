"use strict";
// Filters what has `data-row`, and copies texts. `#find=WORDS` sets the filter. A word that is a tag of some row, of its
// `data-tags`, finds the rows with that tag; any other word is looked for in the text of a row.
(() => {
  const form = document.querySelector(".filter");
  if (form) {
    const words = form.querySelector("input[type=search]");
    const onlyTrouble = form.querySelector("input[type=checkbox]");
    const count = form.querySelector("output");
    const rows = [...document.querySelectorAll("[data-row]")].map((row) => ({
      row, text: "", trouble: row.dataset.row === "trouble",
      tags: new Set((row.dataset.tags || "").toLowerCase().split(" ").filter(Boolean)),
    }));
    const known = new Set(rows.flatMap((entry) => [...entry.tags]));
    const groups = [...document.querySelectorAll(".group")];
    const textOf = (entry) => entry.text ||= `${entry.row.textContent} ${entry.row.dataset.tags || ""}`.toLowerCase();
    const has = (entry, word) => known.has(word) ? entry.tags.has(word) : textOf(entry).includes(word);
    const found = () => rows.filter((entry) => !entry.row.hidden).map((entry) => entry.row);

    const apply = () => {
      const searched = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      const only = onlyTrouble !== null && onlyTrouble.checked;
      let shown = 0;
      for (const entry of rows) {
        const fits = (entry.trouble || !only) && searched.every((word) => has(entry, word));
        if (entry.row.hidden === fits) entry.row.hidden = !fits;
        shown += fits ? 1 : 0;
      }
      for (const group of groups) group.hidden = !group.querySelector("[data-row]:not([hidden])");
      const all = shown === rows.length;
      form.dataset.words = words.value;  // what is shown now
      count.textContent = all ? "" : `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} shown`;
    };

    // A link to a row that the filter hides takes the filter away.
    const follow = () => {
      let hash = location.hash.slice(1);
      try { hash = decodeURIComponent(hash); } catch { /* A percent sign that stands for itself. */ }
      if (hash.startsWith("find=")) {
        words.value = hash.slice(5).replace(/\+/g, " ");
        if (onlyTrouble) onlyTrouble.checked = false;
        apply();
        const shown = found();
        // What a link leads to is seen at once; what is the only one needs no further click.
        if (shown.length === 1 && shown[0].tagName === "DETAILS") shown[0].open = true;
        (shown[0] || form).scrollIntoView();
        return;
      }
      const target = document.getElementById(hash);
      if (!target) return;
      for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
      if (!target.closest("[hidden]")) return;
      words.value = "";
      if (onlyTrouble) onlyTrouble.checked = false;
      apply();
      target.scrollIntoView();
    };

    let pending = 0;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      clearTimeout(pending);
      apply();
      found()[0]?.scrollIntoView();
    });
    form.addEventListener("input", () => { clearTimeout(pending); pending = setTimeout(apply, 120); });
    window.addEventListener("hashchange", follow);
    form.hidden = false;
    if (words.value) apply();
    follow();
  }
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const label = button.textContent;
      const shown = button.parentElement.querySelector("pre");
      // What the page shows by its picture is copied as it is.
      const bytes = Uint8Array.from(atob(button.dataset.copy), (letter) => letter.charCodeAt(0));
      const text = bytes.length ? new TextDecoder().decode(bytes) : shown.textContent;
      try { await navigator.clipboard.writeText(text); } catch {
        // Pages opened from a file may not write to the clipboard: select the text instead, and give the copy what it is.
        const give = (event) => { event.preventDefault(); event.clipboardData.setData("text/plain", text); };
        document.addEventListener("copy", give);
        getSelection().selectAllChildren(shown);
        button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
        document.removeEventListener("copy", give);
        setTimeout(() => { button.textContent = label; }, 1500);
        return;
      }
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = label; }, 1500);
    });
  }
})();
