import { home } from './api.ts';

/** Addresses of before had the page behind a `#`. */
export function followOldAddress(): void {
  if (location.hash.startsWith('#/')) history.replaceState(history.state, '', home + location.hash.slice(1));
}
