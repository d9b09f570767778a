import type { Gatehouse } from 'gatehouse-server/client';
import { useEffect, useState } from 'react';

/** A list that updates itself, for React. `rows` is undefined until the list is loaded. */
export function useLive<Row extends { id: string }>(gatehouse: Gatehouse, name: string, query: object = {}) {
  const [rows, setRows] = useState<readonly Row[]>();
  const [error, setError] = useState<Error>();
  const key = JSON.stringify(query);
  useEffect(() => {
    const stop = new AbortController();
    const follow = async () => {
      const lists = gatehouse.resource<Row>(name).live(JSON.parse(key), { signal: stop.signal });
      for await (const list of lists) setRows(list);
    };
    follow().catch((reason) => !stop.signal.aborted && setError(reason));
    return () => stop.abort();
  }, [gatehouse, name, key]);
  return { rows, error };
}
