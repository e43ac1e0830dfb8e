"use strict";
// Light or dark, as the reader likes it; texts copied at a click.
(() => {
  const root = document.documentElement;
  const theme = document.getElementById("theme");
  const dark = () => root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  theme.hidden = false;
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; });
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(document.getElementById(button.dataset.copy), button));
  }
  // On paper nothing can be opened.
  addEventListener("beforeprint", () => {
    for (const it of document.querySelectorAll("details")) it.open = true;
  });
  function copy(from, button) {
    const selection = getSelection();
    selection.selectAllChildren(from);
    const copied = document.execCommand("copy"); // works for a file, where the clipboard does not
    if (copied) { selection.removeAllRanges(); button.textContent = "Copied"; }
  }
})();
