// The theme button: system, light, dark. The inline script in the head sets data-theme before the
// first paint; this program only changes it.

export type Theme = "system" | "light" | "dark";

const key = "plinth-theme"; // the inline script in the head reads it, too
const label: Record<Theme, string> = {
  system: "Theme: auto",
  light: "Theme: light",
  dark: "Theme: dark",
};
const order: Theme[] = ["system", "light", "dark"];

const listeners = new Set<() => void>();

/** Calls back when colours change: by the button, the system setting, or printing. */
export function onTheme(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

/** Connects the theme button in the page's header. */
export function mountTheme(button: HTMLElement): void {
  show(button, current());
  button.addEventListener("click", () => {
    const next = order[(order.indexOf(current()) + 1) % order.length] ?? "system";
    set(next);
    show(button, next);
    tell();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
  mountPaper();
}

// Paper is always light. CSS handles that, but canvases have to be redrawn.
function mountPaper(): void {
  let before: Theme = "system";
  window.addEventListener("beforeprint", () => {
    before = current();
    document.documentElement.dataset.theme = "light";
    tell();
  });
  window.addEventListener("afterprint", () => {
    apply(before);
    tell();
  });
}

function current(): Theme {
  const theme = document.documentElement.dataset.theme;
  return theme === "light" || theme === "dark" ? theme : "system";
}

function apply(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function set(theme: Theme): void {
  apply(theme);
  try {
    if (theme === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, theme);
  } catch {
    // A browser may deny storage to files; the theme then applies only to this page.
  }
}

function show(button: HTMLElement, theme: Theme): void {
  button.textContent = label[theme];
}

function tell(): void {
  for (const listener of listeners) listener();
}
