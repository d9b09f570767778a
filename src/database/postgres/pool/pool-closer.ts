import type pg from 'pg';

const closeTimeoutMs = 2000;

export function poolCloser(pool: pg.Pool) {
  const openClients = new Set<pg.PoolClient>();
  let onAllClosed: () => void = () => undefined;
  pool.on('connect', (client) => openClients.add(client));
  pool.on('remove', (client) => {
    openClients.delete(client);
    if (openClients.size === 0) onAllClosed();
  });
  /** Closes connections immediately, even during a statement. */
  const disconnect = (isSelected: (client: pg.PoolClient) => boolean): void => {
    for (const client of openClients) if (isSelected(client)) client.connection.stream.destroy();
  };
  /** Ends the pool and returns when its connections are closed. The pool's own `end` does not wait for that. */
  const close = async (): Promise<void> => {
    await pool.end();
    if (openClients.size === 0) return;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    onAllClosed = resolve;
    const timer = setTimeout(() => disconnect(() => true), closeTimeoutMs);
    await closed;
    clearTimeout(timer);
  };
  return { close, disconnect };
}
