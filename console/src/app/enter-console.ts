import { type Me, whoAmI } from '../auth/auth-provider.ts';
import { gatehouse, home } from '../data/api.ts';
import { loadDescriptions, type ResourceDescription } from '../data/descriptions.ts';
import { prefetchRows, type RowsAhead } from '../data/rows-ahead.ts';

/** The signed-in user and the descriptions of the resources. Undefined: nobody is signed in. */
export type Entered = { me: Me; descriptions: ResourceDescription[] } | undefined;

let begun: Promise<Entered> | undefined;

/** Requests the data from the service while the code of the console loads. */
export function prefetchConsoleData(onRows: (rows: RowsAhead) => void): void {
  begun = fetchEntry(onRows);
  // `enterConsole` reports the error.
  begun.catch(() => undefined);
}

/** Repeats the first request if it failed, because the messages that explain a failure were not loaded yet. */
export function enterConsole(): Promise<Entered> {
  const first = begun;
  begun = undefined;
  return first ? first.catch(() => fetchEntry()) : fetchEntry();
}

async function fetchEntry(onRows?: (rows: RowsAhead) => void): Promise<Entered> {
  if (!(await gatehouse.resume())) return undefined;
  const described = loadDescriptions(gatehouse).then((descriptions) => {
    const rows = prefetchRows(gatehouse, descriptions, location.pathname.slice(home.length) + location.search);
    if (rows) onRows?.(rows);
    return descriptions;
  });
  const [me, descriptions] = await Promise.all([whoAmI(gatehouse), described]);
  return { me, descriptions };
}
