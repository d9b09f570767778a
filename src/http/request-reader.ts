import type { FastifyRequest } from 'fastify';
import type { Context } from '../database/context.ts';
import type { Reader } from '../database/reader.ts';
import type { App } from './app.ts';
import { widerNetworkOf } from './network-of.ts';

/**
 * Database reads for a request. Expensive reads of one caller wait for each other, and end when the caller
 * disconnects.
 */
export class RequestReader implements Reader {
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest) {
    this.#request = request;
  }

  get caller(): string {
    const { caller } = this.#request;
    return caller.userId ?? caller.clientId ?? widerNetworkOf(this.#request.ip);
  }

  onDisconnect(gone: () => void): () => void {
    const { socket } = this.#request.raw;
    // The caller disconnected before the listener was added.
    if (socket.destroyed) queueMicrotask(gone);
    socket.once('close', gone);
    return () => socket.off('close', gone);
  }
}

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Before a caller is told that something was done, every instance knows which copies of the database it may be shown. */
export function awaitReplicaNotices(app: App, { database }: Context): void {
  const { replicas } = database;
  if (!replicas) return;
  app.addHook('onSend', async (request) => {
    if (reading.has(request.method) || request.caller.kind === 'anonymous') return;
    await replicas.afterWrite(new RequestReader(request).caller);
  });
}
