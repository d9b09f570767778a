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

interface StoredAuthorization extends Omit<Authorization, 'url'> {
  /** The page where the person started. */
  readonly from: string;
}

const keyOf = (state: string) => `gatehouse:${state}`;

/** Redirects to the page of the service. Stores the request in this tab for the return. */
export function redirectToService({ location, sessionStorage }: Page, { url, ...authorization }: Authorization): void {
  sessionStorage.setItem(keyOf(authorization.state), JSON.stringify({ ...authorization, from: location.href }));
  location.assign(url);
}

/**
 * Reads the authorization response from the URL of the page, if this tab sent the request. Works once: it restores the
 * URL of the page where the user started.
 */
export function readCallback({
  location,
  sessionStorage,
  history,
}: Page): { authorization: Omit<Authorization, 'url'>; url: string } | undefined {
  const url = location.href;
  const parameters = new URL(url).searchParams;
  const key = keyOf(parameters.get('state') ?? '');
  const stored = sessionStorage.getItem(key);
  if (stored === null || !(parameters.has('code') || parameters.has('error'))) return undefined;
  sessionStorage.removeItem(key);
  const { from, ...authorization }: StoredAuthorization = JSON.parse(stored);
  history.replaceState(null, '', from);
  return { authorization, url };
}

/** The current page. Undefined in Node. */
export function thisPage(): Page | undefined {
  const page = globalThis as Partial<Page>;
  return page.location && page.sessionStorage && page.history ? (page as Page) : undefined;
}
