import type { Store } from 'react-admin';
import { root } from '../data/api.ts';

/** The key of the theme in react-admin's store. */
const key = 'theme';
type Theme = 'light' | 'dark';

/** The theme that the person chose on the pages. Undefined: the theme of the system. */
export function chosenTheme(): Theme | undefined {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : undefined;
}

/** Shares the theme with the pages: the console uses their theme, and a choice in the console applies to them. */
export function shareTheme(store: Store): void {
  const chosen = chosenTheme();
  if (chosen) store.setItem(key, chosen);
  else store.removeItem(key);
  store.subscribe(key, (theme) => {
    if (theme !== 'light' && theme !== 'dark') return;
    document.documentElement.dataset.theme = theme;
    // The response redirects to a page, which the console does not need.
    const body = new URLSearchParams({ theme });
    fetch(`${root}/theme`, { method: 'POST', body, redirect: 'manual' }).catch(() => undefined);
  });
}
