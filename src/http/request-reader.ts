import type { FastifyRequest } from 'fastify';
import type { Context } from '../database/context.ts';
import type { Reader } from '../database/reader.ts';
import type { App } from './app.ts';
import { widerNetworkOf } from './network-of.ts';

/** The caller of a request, for the read queues: expensive reads take turns, and end when the caller disconnects. */
export class RequestReader implements Reader {
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest) {
    this.#request = request;
  }

  get caller(): string {
    const { caller } = this.#request;
    return caller.userId ?? caller.clientId ?? widerNetworkOf(this.#request.ip);
  }

  onDisconnect(listener: () => void): () => void {
    const { socket } = this.#request.raw;
    // The caller disconnected before the listener was added.
    if (socket.destroyed) queueMicrotask(listener);
    socket.once('close', listener);
    return () => socket.off('close', listener);
  }
}

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Delays the response to a write until every instance knows which replicas are too old for this caller. */
export function awaitReplicaNotices(app: App, { database }: Context): void {
  const { replicas } = database;
  if (!replicas) return;
  app.addHook('onSend', async (request) => {
    if (readMethods.has(request.method) || request.caller.kind === 'anonymous') return;
    await replicas.afterWrite(new RequestReader(request).caller);
  });
}
