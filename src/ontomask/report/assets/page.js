// What every page has: a switch between light and dark, and buttons that copy a text.

import { switchTheme } from "./shared/theme.js";

const themeButton = document.getElementById("theme");
themeButton.hidden = false;
themeButton.addEventListener("click", switchTheme);

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => copyText(button));
}

function copyText(button) {
  const selection = getSelection();
  selection.selectAllChildren(document.getElementById(button.dataset.copy));
  // The clipboard interface does not work for pages that are opened from a file.
  if (!document.execCommand("copy")) return;
  selection.removeAllRanges();
  button.textContent = "Copied";
}

// On paper nothing can be opened.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
