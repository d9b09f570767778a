import type pg from 'pg';

/** The longest wait for the server to close a connection. */
const closesWithinMs = 2000;

interface PoolCloser {
  /** Ends the pool and returns when its connections are closed. The pool's own `end` does not wait for that. */
  close(): Promise<void>;
  /** Closes connections immediately, even during a statement. */
  disconnect(which: (client: pg.PoolClient) => boolean): void;
}

export function poolCloser(pool: pg.Pool): PoolCloser {
  const open = new Set<pg.PoolClient>();
  let noneOpen: () => void = () => undefined;
  pool.on('connect', (client) => open.add(client));
  pool.on('remove', (client) => {
    open.delete(client);
    if (open.size === 0) noneOpen();
  });
  const cut: PoolCloser['disconnect'] = (which) => {
    for (const client of open) if (which(client)) client.connection.stream.destroy();
  };
  const close = async () => {
    await pool.end();
    if (open.size === 0) return;
    const closed = new Promise<void>((resolve) => {
      noneOpen = resolve;
    });
    const timer = setTimeout(() => cut(() => true), closesWithinMs);
    await closed;
    clearTimeout(timer);
  };
  return { close, disconnect: cut };
}
