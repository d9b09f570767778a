import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { type Change, subscribe } from '../../../client/changes.ts';
import { GatehouseError } from '../../../client/errors.ts';
import type { Send } from '../../../client/page.ts';
import { createTransport } from '../../../client/transport.ts';
import { gatehouse, root } from '../data/api.ts';
import { useDescriptions } from '../data/DescriptionsProvider.tsx';
import { useRowName } from '../data/useRowName.ts';
import { translate } from '../text/translate.ts';

export type RowChange = Change<Record<string, unknown>>;

/** Streams use the session cookie. When the session ends, they close without asking for a sign-in. */
const streams = createTransport({ baseUrl: root, fetch: (url, init) => fetch(url, init), retryDelays: [] });
const send: Send = (call) => (call.stream ? streams.send(call) : gatehouse.call(call));

/**
 * Calls back for each change of these resources, and with undefined if too many changes were missed. It listens only while the page is
 * visible: browsers open at most six connections to one service, for all tabs together.
 */
export function useChanges(
  resources: readonly string[],
  onChange: (change: RowChange | undefined) => void,
  after?: string | undefined,
): void {
  const descriptions = useDescriptions();
  const names = resources.filter((name) => descriptions.get(name)?.changes).join(',');
  const listener = useRef(onChange);
  listener.current = onChange;
  const start = useRef(after);
  start.current = after;

  useEffect(() => {
    if (names === '') return;
    let stop: AbortController | undefined;
    let position = start.current;

    async function follow(signal: AbortSignal): Promise<void> {
      try {
        for await (const change of subscribe<Record<string, unknown>>(send, names, { after: position, signal })) {
          position = change.position;
          listener.current(change);
        }
      } catch (error) {
        // The page works without a stream.
        if (!(error instanceof GatehouseError) || error.code !== 'resync') return;
        position = undefined;
        listener.current(undefined);
        await follow(signal);
      }
    }

    function followWhileVisible(): void {
      if (document.hidden) {
        stop?.abort();
        stop = undefined;
      } else if (!stop) {
        stop = new AbortController();
        void follow(stop.signal);
      }
    }

    followWhileVisible();
    document.addEventListener('visibilitychange', followWhileVisible);
    return () => {
      document.removeEventListener('visibilitychange', followWhileVisible);
      stop?.abort();
    };
  }, [names]);
}

/** The name of the person or the client that made a change. */
export function useActorName(actor: RowChange['actor']): string {
  const { name } = useRowName(actor?.user_id ? 'users' : 'clients', actor?.user_id ?? actor?.client_id);
  return name ?? translate('Somebody');
}

const everyMs = 500;

/** Refetches queries that changes have invalidated. Many changes at once cause one request. */
export function useRefreshSoon(): (...keys: QueryKey[]) => void {
  const client = useQueryClient();
  const waiting = useRef(new Map<string, QueryKey>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(
    (...keys) => {
      for (const key of keys) waiting.current.set(JSON.stringify(key), key);
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        for (const queryKey of waiting.current.values()) void client.invalidateQueries({ queryKey });
        waiting.current.clear();
      }, everyMs);
    },
    [client],
  );
}
