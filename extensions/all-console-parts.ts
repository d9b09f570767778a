import { lazy } from 'react';

/** The parts of the console that extensions contain. The console imports extensions only through this list. */

export { ActivityCharts, FactorFigures } from './activity/console/ActivityCharts.tsx';
export { LatestEvents } from './audit-trail/console/LatestEvents.tsx';
export { RowHistory } from './audit-trail/console/RowHistory.tsx';
export { kindsOfEvents } from './audit-trail/console/sentences.ts';
export { BulkBar } from './bulk-operations/console/BulkBar.tsx';
export { LiveOverview } from './changes/console/LiveOverview.tsx';
export { ConflictWarning, LiveRow } from './changes/console/LiveRow.tsx';
export { LiveRows } from './changes/console/LiveRows.tsx';
export { SendAgain, untilDelivered } from './changes/console/SendAgain.tsx';
export { SearchEverything } from './console-search/console/SearchEverything.tsx';
export { Checklist, HealthReport } from './doctor/console/HealthReport.tsx';
export { useConflict } from './edit-conflicts/console/useConflict.tsx';
export { ProviderState, TestSignIn } from './providers/console/ProviderState.tsx';
export { InviteButton } from './user-page/console/InviteButton.tsx';
export { PersonPage } from './user-page/console/PersonPage.tsx';

/** Parts that are loaded when they are shown, because most visitors do not open them. */
export const CodeDrawer = lazy(() => import('./openapi/console/CodeDrawer.tsx'));
export const ExportDialog = lazy(() => import('./bulk-operations/console/ExportDialog.tsx'));
export const ImportDialog = lazy(() => import('./bulk-operations/console/ImportDialog.tsx'));
export const InvitePerson = lazy(() => import('./user-page/console/InvitePerson.tsx'));
export const ListFigures = lazy(() => import('./aggregates/console/ListFigures.tsx'));
export const Receivers = lazy(() => import('./changes/console/Receivers.tsx'));
export const TrailRows = lazy(() => import('./audit-trail/console/TrailRows.tsx'));
