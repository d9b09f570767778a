import type { RouterBlockerFunction, RouterLocation, RouterNavigateOptions, RouterTo } from 'react-admin';
import { home } from '../data/api.ts';
import { Listeners } from '../data/listeners.ts';

/** The state of a history entry. Entries are numbered, so that the router knows by how many steps the browser has moved. */
interface Entry {
  readonly index?: number;
  readonly state?: unknown;
}

/** Called before a page is left. `stop` gets a function that leaves the page anyway. */
export interface NavigationGuard {
  should: RouterBlockerFunction;
  stop: (to: RouterLocation, proceed: () => void) => void;
}

const entryOf = (): Entry => history.state ?? {};
const navigations = new Listeners();
export const onNavigation = navigations.add;
let index = entryOf().index ?? 0;
let visits = 0;
let current = locationOfPage();
let guard: NavigationGuard | undefined;
/** The reaction to the next history event of the browser. */
let onMove: 'ask' | 'accept' | 'ignore' = 'ask';

function locationOfPage(): RouterLocation {
  const { pathname, search, hash } = location;
  return { pathname: pathname.slice(home.length) || '/', search, hash, state: entryOf().state, key: String(visits) };
}

function onArrival(): void {
  visits += 1;
  current = locationOfPage();
  navigations.call();
}

export const currentLocation = (): RouterLocation => current;

/** Only one page is guarded at a time. */
export function setNavigationGuard(next: NavigationGuard): () => void {
  guard = next;
  return () => {
    if (guard === next) guard = undefined;
  };
}

function isStopped(to: RouterLocation, historyAction: 'POP' | 'PUSH' | 'REPLACE', proceed: () => void): boolean {
  if (!guard?.should({ currentLocation: current, nextLocation: to, historyAction })) return false;
  guard.stop(to, proceed);
  return true;
}

addEventListener('popstate', () => {
  const move = onMove;
  onMove = 'ask';
  if (move === 'ignore') return;
  const steps = (entryOf().index ?? index) - index;
  const proceed = () => {
    onMove = 'accept';
    history.go(steps);
  };
  if (move === 'ask' && steps !== 0 && isStopped(locationOfPage(), 'POP', proceed)) {
    // The browser has already moved, so it has to move back.
    onMove = 'ignore';
    history.go(-steps);
    return;
  }
  index += steps;
  onArrival();
});

/** The address of a place in the console. */
export function hrefOf(to: RouterTo): string {
  const { pathname, search, hash } = placeOf(to);
  return home + pathname + search + hash;
}

function placeOf(to: RouterTo): RouterLocation {
  const {
    pathname = current.pathname,
    search = '',
    hash = '',
  } = typeof to === 'string' ? new URL(to, new URL(current.pathname, location.origin)) : to;
  return { pathname, search, hash };
}

export function navigate(to: RouterTo | number, { replace = false, state }: RouterNavigateOptions = {}): void {
  if (typeof to === 'number') {
    history.go(to);
    return;
  }
  const address = hrefOf(to);
  const go = () => {
    if (!replace) index += 1;
    history[replace ? 'replaceState' : 'pushState']({ index, state } satisfies Entry, '', address);
    onArrival();
  };
  if (!isStopped({ ...placeOf(to), state }, replace ? 'REPLACE' : 'PUSH', go)) go();
}
