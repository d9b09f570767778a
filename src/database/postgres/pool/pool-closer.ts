import type pg from 'pg';

const closesWithinMs = 2000;

export function poolCloser(pool: pg.Pool) {
  const open = new Set<pg.PoolClient>();
  let noneOpen: () => void = () => undefined;
  pool.on('connect', (client) => open.add(client));
  pool.on('remove', (client) => {
    open.delete(client);
    if (open.size === 0) noneOpen();
  });
  /** Closes connections immediately, even during a statement. */
  const disconnect = (which: (client: pg.PoolClient) => boolean): void => {
    for (const client of open) if (which(client)) client.connection.stream.destroy();
  };
  /** Ends the pool and returns when its connections are closed. The pool's own `end` does not wait for that. */
  const close = async (): Promise<void> => {
    await pool.end();
    if (open.size === 0) return;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    noneOpen = resolve;
    const timer = setTimeout(() => disconnect(() => true), closesWithinMs);
    await closed;
    clearTimeout(timer);
  };
  return { close, disconnect };
}
