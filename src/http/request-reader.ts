import type { FastifyRequest } from 'fastify';
import type { Reader } from '../database/reader.ts';
import { widerNetworkOf } from './network-of.ts';

/** Reads for a request: expensive ones of one caller wait for each other, and end when it hangs up. */
export class RequestReader implements Reader {
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest) {
    this.#request = request;
  }

  get caller(): string {
    const { caller } = this.#request;
    return caller.userId ?? caller.clientId ?? widerNetworkOf(this.#request.ip);
  }

  whenGone(gone: () => void): () => void {
    const { socket } = this.#request.raw;
    // It has hung up before anybody listened.
    if (socket.destroyed) queueMicrotask(gone);
    socket.once('close', gone);
    return () => socket.off('close', gone);
  }
}
