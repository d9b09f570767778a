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
  RouterNavigateProps,
  RouterProvider,
  RouterRouteProps,
} from 'react-admin';
import { currentLocation, hrefOf, navigate, onNavigation, setNavigationGuard } from './location.ts';
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
  useEffect(() =>
    setNavigationGuard({
      should: typeof should === 'function' ? should : () => should,
      stop: (location, proceed) => setBlocked({ location, proceed }),
    }),
  );
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
