import type { Socket } from 'node:net';
import type pg from 'pg';

/** A server that has not closed a connection until then is not waited for. */
const closesWithinMs = 2000;

/** Ends a pool and returns when its connections are closed. The pool's own `end` does not wait for that. */
export function poolCloser(pool: pg.Pool): () => Promise<void> {
  const open = new Set<pg.PoolClient>();
  let noneOpen: () => void = () => undefined;
  pool.on('connect', (client) => open.add(client));
  pool.on('remove', (client) => {
    open.delete(client);
    if (open.size === 0) noneOpen();
  });
  return async () => {
    await pool.end();
    if (open.size === 0) return;
    const closed = new Promise<void>((resolve) => {
      noneOpen = resolve;
    });
    const timer = setTimeout(() => {
      for (const client of open) socketOf(client).destroy();
    }, closesWithinMs);
    await closed;
    clearTimeout(timer);
  };
}

/** The driver's types leave it out. */
const socketOf = (client: pg.PoolClient): Socket =>
  (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
