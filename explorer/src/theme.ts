/** Light, dark, or as the system has it. Runs before the first paint, so that nothing flashes. */

const STORED = "soprano-theme";

const stored = localStorage.getItem(STORED);
if (stored === "light" || stored === "dark") document.documentElement.dataset.theme = stored;
