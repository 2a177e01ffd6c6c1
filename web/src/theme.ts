// The theme button: as the system says, light, dark. The inline script in the
// head has set data-theme before the first paint; here it is only changed.

export type Theme = "system" | "light" | "dark";

const key = "plinth-theme"; // the inline script in the head reads it, too
const label: Record<Theme, string> = {
  system: "Theme: as the system",
  light: "Theme: light",
  dark: "Theme: dark",
};
const order: Theme[] = ["system", "light", "dark"];

const listeners = new Set<() => void>();

/** Calls back when colours change: by the button, by the system, or for printing. */
export function onTheme(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

/** Makes the button in the page's header change the theme. */
export function mountTheme(button: HTMLElement): void {
  show(button, current());
  button.addEventListener("click", () => {
    const next = order[(order.indexOf(current()) + 1) % order.length] ?? "system";
    set(next);
    show(button, next);
    tell();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
}

function current(): Theme {
  const theme = document.documentElement.dataset.theme;
  return theme === "light" || theme === "dark" ? theme : "system";
}

function set(theme: Theme): void {
  const root = document.documentElement;
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  try {
    if (theme === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, theme);
  } catch {
    // A browser may refuse storage to files; the theme then holds for this page only.
  }
}

function show(button: HTMLElement, theme: Theme): void {
  button.textContent = label[theme];
}

function tell(): void {
  for (const listener of listeners) listener();
}
