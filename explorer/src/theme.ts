/** Applies the stored theme. A script of its own that runs before the first paint, so that the page doesn't flash. */

const stored = localStorage.getItem("soprano-theme");
if (stored === "light" || stored === "dark") document.documentElement.dataset.theme = stored;
