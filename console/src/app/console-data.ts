import { type Me, whoAmI } from '../auth/auth-provider.ts';
import { gatehouse, home } from '../data/api.ts';
import { loadDescriptions, type ResourceDescription } from '../data/descriptions.ts';
import { type PrefetchedRows, prefetchRows } from '../data/prefetched-rows.ts';

/** The signed-in user and the descriptions of the resources. Undefined: nobody is signed in. */
export type ConsoleData = { me: Me; descriptions: ResourceDescription[] } | undefined;

let prefetched: Promise<ConsoleData> | undefined;

/** Requests the data from the service while the code of the console loads. */
export function prefetchConsoleData(onRows: (rows: PrefetchedRows) => void): void {
  prefetched = fetchConsoleData(onRows);
  // `takeConsoleData` reports the error.
  prefetched.catch(() => undefined);
}

/** Repeats the first request if it failed, because the messages that explain a failure were not loaded yet. */
export function takeConsoleData(): Promise<ConsoleData> {
  const first = prefetched;
  prefetched = undefined;
  return first ? first.catch(() => fetchConsoleData()) : fetchConsoleData();
}

async function fetchConsoleData(onRows?: (rows: PrefetchedRows) => void): Promise<ConsoleData> {
  if (!(await gatehouse.resume())) return undefined;
  const described = loadDescriptions(gatehouse).then((descriptions) => {
    const rows = prefetchRows(gatehouse, descriptions, location.pathname.slice(home.length) + location.search);
    if (rows) onRows?.(rows);
    return descriptions;
  });
  const [me, descriptions] = await Promise.all([whoAmI(gatehouse), described]);
  return { me, descriptions };
}
