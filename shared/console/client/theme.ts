/** The appearance: that of the system, or one that the user chose. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'understudy-theme';

/** The appearance that was chosen last in this browser. */
export function readTheme(): Theme {
  try {
    const kept = window.localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}

/** Shows the page in an appearance, and keeps the choice where the browser allows it. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    window.localStorage.setItem(KEY, theme);
  } catch {
    return;
  }
}

/** Applies the kept appearance before anything is shown. */
export function restoreTheme(): void {
  const theme = readTheme();
  if (theme !== 'system') document.documentElement.dataset.theme = theme;
}
