import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';

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
