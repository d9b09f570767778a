import type { Store } from 'react-admin';
import { root } from '../data/api.ts';

/** Where react-admin keeps it. */
const key = 'theme';
type Theme = 'light' | 'dark';

/** What was chosen on the pages; undefined: as the system has it. */
export function chosenTheme(): Theme | undefined {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : undefined;
}

/** The console is as light or dark as the pages, and what is chosen here holds there. */
export function shareTheme(store: Store): void {
  const chosen = chosenTheme();
  if (chosen) store.setItem(key, chosen);
  else store.removeItem(key);
  store.subscribe(key, (theme) => {
    if (theme !== 'light' && theme !== 'dark') return;
    document.documentElement.dataset.theme = theme;
    // The answer leads to a page, which nobody waits for here.
    const body = new URLSearchParams({ theme });
    fetch(`${root}/theme`, { method: 'POST', body, redirect: 'manual' }).catch(() => undefined);
  });
}
