/** The switch between light and dark. What the system prefers holds until it is used. */

const STORED = "soprano-theme";
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

const isDark = () => (document.documentElement.dataset.theme ?? (systemIsDark.matches ? "dark" : "light")) === "dark";

/** @param onChange after a change by the button or by the system */
export function connectThemeSwitch(button: HTMLButtonElement, onChange: () => void): void {
  const tell = () => button.setAttribute("aria-pressed", String(isDark()));
  tell();
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    // Back to what the system has: follow it again.
    if ((theme === "dark") === systemIsDark.matches) {
      delete document.documentElement.dataset.theme;
      localStorage.removeItem(STORED);
    } else {
      document.documentElement.dataset.theme = theme;
      localStorage.setItem(STORED, theme);
    }
    tell();
    onChange();
  });
  systemIsDark.addEventListener("change", () => {
    tell();
    onChange();
  });
}
