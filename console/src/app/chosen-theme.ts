import type { Store } from 'react-admin';
import { root } from '../data/api.ts';

/** The key of the theme in the store of react-admin. */
const key = 'theme';
type Theme = 'light' | 'dark';

/** The theme that was chosen on the pages. Undefined: the theme of the system. */
export function chosenTheme(): Theme | undefined {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : undefined;
}

/** The console has the theme of the pages, and a choice in the console applies to the pages. */
export function shareTheme(store: Store): void {
  const chosen = chosenTheme();
  if (chosen) store.setItem(key, chosen);
  else store.removeItem(key);
  store.subscribe(key, (theme) => {
    if (theme !== 'light' && theme !== 'dark') return;
    document.documentElement.dataset.theme = theme;
    // The answer redirects to a page. It is not needed here.
    const body = new URLSearchParams({ theme });
    fetch(`${root}/theme`, { method: 'POST', body, redirect: 'manual' }).catch(() => undefined);
  });
}
