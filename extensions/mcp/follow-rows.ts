import { setTimeout as pause } from 'node:timers/promises';
import type { Api } from './api.ts';
import { callApi } from './call-tool.ts';
import { findDocument } from './documents.ts';
import type { Rights } from './rights.ts';

const everyMs = 2000;
/** Temporary errors: the request is repeated. */
const temporaryStatuses = new Set([429, 502, 503]);

/** A row whose changes a client follows. */
export interface FollowedRow {
  readonly uri: string;
  readonly name: string;
  readonly id: string;
}

/** The rows of these addresses whose changes are recorded and that the caller may read. */
export const followable = (rights: readonly Rights[], uris: readonly string[]): FollowedRow[] =>
  uris.flatMap((uri) => {
    const { name, id } = findDocument(rights, uri) ?? {};
    const isRecorded = rights.some(({ resource }) => resource.name === name && resource.changes !== undefined);
    return name !== undefined && id !== undefined && isRecorded ? [{ uri, name, id }] : [];
  });

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Called when the start position is known. All later changes are reported. */
  begin(): void;
  notify(uri: string): void;
}

/**
 * Reports the addresses of rows that change, until `signal` aborts or the API rejects the request. Each request to the API runs as
 * the caller: changes that the caller may no longer see are not reported, and the end of the session ends the stream.
 */
export async function followRows(api: Api, rows: readonly FollowedRow[], { signal, begin, notify }: FollowOptions) {
  const names = [...new Set(rows.map(({ name }) => name))];
  const newest = async (): Promise<string> => {
    const query = { limit: '1', count: 'none' };
    const { body } = await callApi<Pick<Page, 'meta'>>(api, { method: 'GET', path: names[0] as string, query });
    return body.meta.changes_position;
  };
  let after = await newest();
  begin();
  while (!signal.aborted) {
    await pause(everyMs, undefined, { signal, ref: false });
    const response = await api<Page>({ method: 'GET', path: 'changes', query: { resources: names.join(','), after } });
    if (response.status === 410) {
      // Any of these rows may be among the missed changes.
      after = await newest();
      for (const { uri } of rows) notify(uri);
      continue;
    }
    if (response.status >= 400) {
      if (temporaryStatuses.has(response.status)) continue;
      return;
    }
    const { data, meta } = response.body;
    const changed = new Set(data.map(({ resource, id }) => `${resource}/${id}`));
    for (const { uri, name, id } of rows) if (changed.has(`${name}/${id}`)) notify(uri);
    after = meta.changes_position;
  }
}

type Page = {
  readonly data: readonly { readonly resource: string; readonly id: string }[];
  readonly meta: { readonly changes_position: string };
};
