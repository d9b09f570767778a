import { useDescriptions } from '../../../console/src/data/DescriptionsProvider.tsx';
import { useChanges, useRefreshSoon } from './LiveRows.tsx';

/** Keeps the overview up to date. */
export function LiveOverview() {
  const refresh = useRefreshSoon();
  useChanges([...useDescriptions().keys()], (change) => {
    if (change) refresh([change.resource, 'getList'], ['events', 'getList'], ['activity']);
  });
  return null;
}
