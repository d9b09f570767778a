import type { Authorization } from './application.ts';

/** The browser APIs that a redirect needs. */
export interface Page {
  readonly location: { readonly href: string; assign(url: string): void };
  readonly sessionStorage: {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
  };
  readonly history: { replaceState(data: unknown, unused: string, url: string): void };
}

interface Kept extends Omit<Authorization, 'url'> {
  /** The page where the person started. */
  readonly from: string;
}

const keyOf = (state: string) => `gatehouse:${state}`;

/** Redirects to the page of the service. This tab stores the state for the return. */
export function leave({ location, sessionStorage }: Page, { url, ...authorization }: Authorization): void {
  sessionStorage.setItem(keyOf(authorization.state), JSON.stringify({ ...authorization, from: location.href }));
  location.assign(url);
}

/**
 * The authorization response in the address of the page, if this tab requested it. It is used once: then the address
 * of the page where the person started is restored.
 */
export function comeBack({
  location,
  sessionStorage,
  history,
}: Page): { authorization: Omit<Authorization, 'url'>; answer: string } | undefined {
  const answer = location.href;
  const said = new URL(answer).searchParams;
  const key = keyOf(said.get('state') ?? '');
  const kept = sessionStorage.getItem(key);
  if (kept === null || !(said.has('code') || said.has('error'))) return undefined;
  sessionStorage.removeItem(key);
  const { from, ...authorization }: Kept = JSON.parse(kept);
  history.replaceState(null, '', from);
  return { authorization, answer };
}

/** The page that this runs in; undefined in Node. */
export function thisPage(): Page | undefined {
  const page = globalThis as Partial<Page>;
  return page.location && page.sessionStorage && page.history ? (page as Page) : undefined;
}
