import { lazy } from 'react';

/** The parts of the console that extensions contain. The console imports extensions only through this list. */

export const CodeDrawer = lazy(() => import('./openapi/console/CodeDrawer.tsx'));
export const ListFigures = lazy(() => import('./aggregates/console/ListFigures.tsx'));
export { ProviderState, TestSignIn } from './providers/console/ProviderState.tsx';
