// Light and dark. Without a choice the page follows the system.

export function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

// Switches between the two; returns the theme that the page has now.
export function switchTheme() {
  const { theme } = document.documentElement.dataset;
  const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  setTheme(isDark ? "light" : "dark");
  return document.documentElement.dataset.theme;
}
