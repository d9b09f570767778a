import { Typography } from '@mui/material';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useGetIdentity, useListContext } from 'react-admin';
import { type Change, subscribe } from '../../../client/changes.ts';
import { GatehouseError } from '../../../client/errors.ts';
import type { Send } from '../../../client/page.ts';
import { createTransport } from '../../../client/transport.ts';
import { gatehouse, root } from '../../../console/src/data/api.ts';
import { useDescription, useDescriptions, useRowName } from '../../../console/src/data/DescriptionsProvider.tsx';
import { type Mark, MarkedRows } from '../../../console/src/lists/marked-rows.tsx';
import { rowName } from '../../../console/src/text/presentation.ts';
import { translate } from '../../../console/src/text/translate.ts';

const mostMarks = 100;

/** A list that follows changes. It reads the rows again, marks rows that other people changed, and announces the last change. */
export function LiveRows({ children }: { children: ReactNode }) {
  const description = useDescription();
  const { name } = description;
  const { meta } = useListContext();
  const position: string | undefined = meta?.position;
  const { identity } = useGetIdentity();
  const refresh = useRefreshSoon();
  const [marks, setMarks] = useState<ReadonlyMap<string, Mark>>(new Map());
  const [last, setLast] = useState<RowChange>();
  const who = useActorName(last?.actor);
  const sentence = last && sentences[last.operation];

  function follow(change: RowChange | undefined): void {
    refresh([name, 'getList']);
    if (!change || change.operation === 'left' || change.actor?.user_id === identity?.id) return;
    const mark: Mark = { key: change.position, text: <ChangedBy change={change} /> };
    setMarks((previous) => new Map([...previous, [change.id, mark] as const].slice(-mostMarks)));
    setLast(change);
  }

  useChanges(position === undefined ? [] : [name], follow, position);
  return (
    <MarkedRows.Provider value={marks}>
      <Typography variant="body2" color="textSecondary" role="status" sx={{ px: 2, '&:not(:empty)': { pt: 1 } }}>
        {sentence &&
          translate(sentence, { who, row: rowName(description, { ...(last.after ?? last.before), id: last.id }) })}
      </Typography>
      {children}
    </MarkedRows.Provider>
  );
}

const sentences: { [operation in RowChange['operation']]?: string } = {
  created: '{who} created {row}.',
  updated: '{who} changed {row}.',
  deleted: '{who} deleted {row}.',
};

/** Beside a row: the name of the person who changed it. */
function ChangedBy({ change: { actor, operation } }: { change: RowChange }) {
  const who = useActorName(actor);
  return operation === 'created' ? translate('Created by {who}', { who }) : translate('Changed by {who}', { who });
}

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
