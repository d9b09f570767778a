import {
  Children,
  createContext,
  isValidElement,
  type MouseEvent,
  type ReactNode,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import type {
  RouterBlocker,
  RouterBlockerFunction,
  RouterLinkProps,
  RouterLocation,
  RouterMatch,
  RouterNavigateOptions,
  RouterNavigateProps,
  RouterProvider,
  RouterRouteProps,
  RouterTo,
} from 'react-admin';
import { home } from '../data/api.ts';
import { Listeners } from '../data/listeners.ts';
import { matchRoute, type RouteMatch } from './match-route.ts';

/** The part of the path that the parent routes have matched, and their parameters. */
const Matched = createContext<Pick<RouteMatch, 'base' | 'params'>>({ base: '', params: {} });

const useLocation = (): RouterLocation => useSyncExternalStore(onNavigation, currentLocation);
const useParams = <T,>(): T => useContext(Matched).params as T;

/** Declares a route. `Routes` draws it. */
const Route = (_: RouterRouteProps): ReactNode => null;

/** Draws the child route that matches best. */
function Routes({ children }: { children: ReactNode }) {
  const { base, params } = useContext(Matched);
  const rest = useLocation().pathname.slice(base.length);
  const [best] = Children.toArray(children)
    .filter((child) => isValidElement<RouterRouteProps>(child))
    .flatMap(({ props: { path = '/', element } }) => ({ element, ...matchRoute(path, rest) }))
    .filter((route): route is RouteMatch & { element: ReactNode } => route.rank !== undefined)
    .sort((a, b) => b.rank - a.rank);
  if (!best) return null;
  return (
    <Matched.Provider value={{ base: base + best.base, params: { ...params, ...best.params } }}>
      {best.element}
    </Matched.Provider>
  );
}

/** A link within the console. The browser handles a click that opens a new tab or window. */
export function RouteLink({ to, replace = false, state, onClick, ...rest }: RouterLinkProps) {
  function follow(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event);
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (event.defaultPrevented || !isPlain || (rest.target && rest.target !== '_self')) return;
    event.preventDefault();
    const isHere = hrefOf(to) === hrefOf(currentLocation());
    navigate(to, { replace: replace || isHere, state });
  }
  return <a {...rest} href={hrefOf(to)} onClick={follow} />;
}

function Navigate({ to, replace = false, state }: RouterNavigateProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, at the first render.
  useEffect(() => navigate(to, { replace, state }), []);
  return null;
}

/** Lets a form ask before the person leaves it. */
function useBlocker(should: RouterBlockerFunction | boolean): RouterBlocker {
  const [blocked, setBlocked] = useState<{ location: RouterLocation; proceed: () => void }>();
  useEffect(() => {
    guard = {
      should: typeof should === 'function' ? should : () => should,
      stop: (location, proceed) => setBlocked({ location, proceed }),
    };
    return () => {
      guard = undefined;
    };
  });
  if (!blocked) return { state: 'unblocked', location: undefined, reset: undefined, proceed: undefined };
  const reset = () => setBlocked(undefined);
  const proceed = () => {
    reset();
    blocked.proceed();
  };
  return { state: 'blocked', location: blocked.location, reset, proceed };
}

function matchPath(pattern: string | { path: string; end?: boolean }, pathname: string): RouterMatch | null {
  const { path, end = true } = typeof pattern === 'string' ? { path: pattern } : pattern;
  const match = matchRoute(path, pathname, end);
  return match ? { params: match.params, pathname: match.base, pathnameBase: match.base } : null;
}

/**
 * The router of the console. It replaces react-router, which is larger than all code of the console (see `vite.config.ts`). Each page has a
 * path, which is kept during a sign-in on the login page.
 */
export const reactRouterProvider: RouterProvider = {
  useLocation,
  useNavigate: () => navigate,
  useParams,
  useBlocker,
  useMatch: (pattern) => matchPath(pattern, useLocation().pathname),
  useInRouterContext: () => true,
  useCanBlock: () => true,
  Link: RouteLink,
  Navigate,
  Route,
  Routes,
  Outlet: () => null,
  matchPath,
  RouterWrapper: ({ children }) => children,
};

/** The state of a history entry. Entries are numbered, so that the router knows by how many steps the browser has moved. */
interface Entry {
  readonly index?: number;
  readonly state?: unknown;
}

/** Called before a page is left. `stop` gets a function that leaves the page anyway. */
interface NavigationGuard {
  should: RouterBlockerFunction;
  stop: (to: RouterLocation, proceed: () => void) => void;
}

const entryOf = (): Entry => history.state ?? {};
const navigations = new Listeners();
const onNavigation = navigations.add;
let index = entryOf().index ?? 0;
let visits = 0;
let current = locationOfPage();
/** Only one page is guarded at a time. */
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

const currentLocation = (): RouterLocation => current;

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
function hrefOf(to: RouterTo): string {
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

function navigate(to: RouterTo | number, { replace = false, state }: RouterNavigateOptions = {}): void {
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
