import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait on one connection. Nobody sends so many without reading an answer. */
const mostWaiting = 200;

/**
 * Lets the server start a request when the answers to the earlier ones of its connection have been handed to the system. Node
 * alone would start all that are pipelined, and hold every answer of a caller who does not read.
 */
export function startOneAtATime(server: Server): void {
  const [handle] = server.listeners('request') as [RequestListener];
  const waiting = new WeakMap<Socket, number>();
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // Node gives a response its socket when the one before it is done.
    if (response.socket) {
      handle(request, response);
      return;
    }
    const { socket } = request;
    const before = waiting.get(socket) ?? 0;
    if (before >= mostWaiting) {
      socket.destroy();
      return;
    }
    waiting.set(socket, before + 1);
    // Nothing more is read from it meanwhile.
    socket.pause();
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      socket.resume();
      handle(request, response);
    });
  });
}
