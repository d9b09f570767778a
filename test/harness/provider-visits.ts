import type { Service } from './service.ts';
import type { Upstream } from './upstream.ts';
import { type Visit, Visitor } from './visitor.ts';

/** The path of an address of the service. */
export const pathIn = (address: string): string => {
  const { pathname, search } = new URL(address);
  return pathname + search;
};

/** Starts at the service, signs in at the provider immediately, and returns. */
export async function signInWith(visitor: Visitor, upstream: Upstream, path = '/login/with/acme'): Promise<Visit> {
  // Accepts any type, as browsers do.
  const { location } = await visitor.get(path, { accept: 'text/html,*/*;q=0.8' });
  return visitor.get(pathIn(await upstream.visit(location)));
}

/** A browser, and the response that it got when it signed in with the provider. */
export async function newcomer(on: Service, upstream: Upstream): Promise<{ visitor: Visitor; visit: Visit }> {
  const visitor = new Visitor(on);
  return { visitor, visit: await signInWith(visitor, upstream) };
}

export const isSignedIn = (visitor: Visitor): boolean => visitor.cookies.has('session');
