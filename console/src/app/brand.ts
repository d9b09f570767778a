import { chosenTheme } from './chosen-theme.ts';
import icon from './icon.svg';

/** The colours of one mode, as the service has made them readable. */
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

/** Filled in by the service. Still a placeholder when a development server serves the console. */
const filledIn = document.querySelector<HTMLMetaElement>('meta[name="gatehouse-brand"]')?.content ?? '';
export const brand: Brand = filledIn.startsWith('{') ? JSON.parse(filledIn) : { name: 'Gatehouse', logo: icon };

/** Colours the page that is shown while the console loads. */
export function paintGate(): void {
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const colours = brand.colours?.[chosenTheme() ?? system];
  if (!colours) return;
  document.documentElement.style.setProperty('--accent', colours.fill);
  document.documentElement.style.setProperty('--on-accent', colours.onFill);
}
