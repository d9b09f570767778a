import type { ListQuery } from '../../../client/list-query.ts';
import type { Page } from '../../../client/resource.ts';
import { gatehouse } from '../data/api.ts';
import { pause } from './pause.ts';
import { secondsToRoom } from './request-limit.ts';

/** Waits where the next request would take what other work needs. */
export async function keepRoom(signal?: AbortSignal): Promise<void> {
  const seconds = secondsToRoom();
  if (seconds > 0) await pause(seconds, signal);
}

/** Every row that matches, by key, at a pace that leaves room for other work. */
export async function* eachRow<Row>(
  resource: string,
  query: Omit<ListQuery, 'page' | 'cursor'>,
  signal: AbortSignal,
): AsyncGenerator<Row, void> {
  let cursor: string | null | undefined = '';
  while (cursor !== undefined && cursor !== null && !signal.aborted) {
    await keepRoom(signal);
    const page: Page<Row> = await gatehouse.resource<Row>(resource).list({ limit: 100, ...query, cursor }, { signal });
    yield* page.data;
    cursor = page.pagination.next_cursor;
  }
}
