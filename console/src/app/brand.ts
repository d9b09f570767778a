import { chosenTheme } from './chosen-theme.ts';
import icon from './icon.svg';

/** The colours of one mode. The service has adjusted their contrast. */
export interface BrandColours {
  accent: string;
  accentHover: string;
  accentSoft: string;
  fill: string;
  fillHover: string;
  onFill: string;
}

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
