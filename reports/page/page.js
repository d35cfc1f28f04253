"use strict";
(() => {
  const form = document.querySelector(".filter");
  const words = form.querySelector("input[type=search]");
  const onlyTrouble = form.querySelector("input[type=checkbox]");
  const told = form.querySelector("output");
  const rows = [...document.querySelectorAll("tr[data-row]")].map((row) => ({
    row, text: row.textContent.toLowerCase(), trouble: row.dataset.row === "trouble",
  }));
  const groups = [...document.querySelectorAll(".group")];

  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { row, text, trouble } of rows) {
      const fits = wanted.every((word) => text.includes(word)) && (trouble || !onlyTrouble.checked);
      row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    for (const group of groups) group.hidden = !group.querySelector("tr[data-row]:not([hidden])");
    const all = shown === rows.length;
    told.textContent = all ? "" : `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows`;
  };

  // A link to a row that the filter hides takes the filter away.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || !target.closest("[hidden]")) return;
    words.value = "";
    onlyTrouble.checked = false;
    apply();
    target.scrollIntoView();
  };

  let pending = 0;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => { clearTimeout(pending); pending = setTimeout(apply, 120); });
  window.addEventListener("hashchange", reveal);
  form.hidden = false;
  apply();
  reveal();
})();
