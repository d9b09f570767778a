import type { Store } from 'react-admin';
import { root } from '../data/api.ts';
import icon from './icon.svg';

/** The colours of one mode. The service has adjusted their contrast. */
export type BrandColours = Record<'accent' | 'accentHover' | 'accentSoft' | 'fill' | 'fillHover' | 'onFill', string>;

interface Brand {
  name: string;
  logo: string;
  colours?: { light: BrandColours; dark: BrandColours };
}

/** The service fills it in. With a development server, it is still a placeholder. */
const filledIn = document.querySelector<HTMLMetaElement>('meta[name="gatehouse-brand"]')?.content ?? '';
export const brand: Brand = filledIn.startsWith('{') ? JSON.parse(filledIn) : { name: 'Gatehouse', logo: icon };

/** Sets the colours of the page that is shown while the console loads. */
export function applyBrandColours(): void {
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const colours = brand.colours?.[chosenTheme() ?? system];
  if (!colours) return;
  document.documentElement.style.setProperty('--accent', colours.fill);
  document.documentElement.style.setProperty('--on-accent', colours.onFill);
}

/** The key of the theme in react-admin's store. */
const key = 'theme';
type Theme = 'light' | 'dark';

/** The theme that the person chose on the pages. Undefined: the theme of the system. */
function chosenTheme(): Theme | undefined {
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
