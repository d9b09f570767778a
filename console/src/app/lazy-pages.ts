import { home } from '../data/api.ts';

/** Code that is loaded on demand, or shortly before. */
export const loadDashboard = () => import('./Overview.tsx');
export const loadShow = () => import('../rows/ResourceShow.tsx');
export const loadForms = () => import('../forms/ResourceForms.tsx');

/** The code of the page at an address. */
function loadPageAt(pathname: string): Promise<unknown> | undefined {
  if (!pathname.startsWith(home)) return undefined;
  const [resource, id, view] = pathname.slice(home.length).split('/').filter(Boolean);
  if (resource === undefined) return loadDashboard();
  // Lists are part of the first file: most visits begin with one or lead to one.
  if (id === undefined) return undefined;
  return view === 'show' ? loadShow() : loadForms();
}

/** Loads the code of the open page, and of the page behind a link when the pointer or the focus reaches the link. */
export function preloadPages(): void {
  const load = (pathname: string) => loadPageAt(pathname)?.catch(() => undefined);
  load(location.pathname);
  const pointedAt = ({ target }: Event) => {
    const link = target instanceof Element && target.closest<HTMLAnchorElement>('a[href]');
    if (link && link.origin === location.origin) load(link.pathname);
  };
  for (const type of ['pointerover', 'focusin']) document.addEventListener(type, pointedAt, { passive: true });
}
