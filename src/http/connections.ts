import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../config/config.ts';
import type { App } from './app.ts';

interface UnsentLimits {
  /** The limit of unread bytes in large responses to one caller, over all its connections. */
  readonly perCaller: number;
  readonly total: number;
}

const mebibyte = 1024 * 1024;
const unsentLimits: UnsentLimits = { perCaller: 64 * mebibyte, total: 256 * mebibyte };

interface Unsent extends Pick<Socket, 'writableLength'> {
  destroy(): unknown;
}

/** Large responses that callers have not read yet. Above a limit, the connections that use the most memory are closed. */
export class UnsentResponses {
  readonly #limits: UnsentLimits;
  readonly #callers = new Map<Unsent, string>();
  #checking = false;

  constructor(limits: UnsentLimits = unsentLimits) {
    this.#limits = limits;
  }

  /** Tracks a large response. Its unread bytes are checked after it has been written. */
  track(socket: Unsent, caller: string): void {
    this.#callers.set(socket, caller);
    if (this.#checking) return;
    this.#checking = true;
    setImmediate(() => {
      this.#checking = false;
      this.check();
    });
  }

  check(): void {
    const byCaller = new Map<string, Unsent[]>();
    for (const [socket, caller] of this.#callers) {
      if (socket.writableLength === 0) this.#callers.delete(socket);
      else byCaller.set(caller, [...(byCaller.get(caller) ?? []), socket]);
    }
    const untrack = (socket: Unsent) => this.#callers.delete(socket);
    for (const sockets of byCaller.values()) endLargest(sockets, this.#limits.perCaller, untrack);
    endLargest([...this.#callers.keys()], this.#limits.total, untrack);
  }
}

/** Closes the connections with the most unread bytes until the rest are within the limit. */
function endLargest<S extends Unsent>(sockets: S[], limit: number, onEnd: (socket: S) => void = () => undefined): void {
  let bytes = sockets.reduce((sum, { writableLength }) => sum + writableLength, 0);
  if (bytes <= limit) return;
  for (const socket of sockets.sort((a, b) => b.writableLength - a.writableLength)) {
    bytes -= socket.writableLength;
    socket.destroy();
    onEnd(socket);
    if (bytes <= limit) return;
  }
}

const sweepIntervalMs = 1000;
/** A client that reads fewer bytes per second than this for SEND_TIMEOUT is disconnected. */
const minBytesPerSecond = 1024;
/** Above this share of the connections, idle ones are closed. */
const closeIdleRatio = 0.9;
/** A new connection may not have sent its first request yet. */
const firstRequestMs = 20;
/** File descriptors that the service needs in addition to its connections. */
const reservedFileDescriptors = 200;

interface Reading {
  since: number;
  /** The number of bytes that the client had read at that time. */
  bytesRead: number;
}

function maxOpenFiles(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Limits the number of connections: closes idle ones, and disconnects clients that do not read. */
export function limitConnections(app: App, { maxConnections, workers, sendTimeout }: Config): void {
  const { server } = app;
  const limit = Math.max(1, Math.min(Math.ceil(maxConnections / workers), maxOpenFiles() - reservedFileDescriptors));
  // Without `dropMaxConnection`, a worker at its limit returns the connection to the primary, which offers it again.
  Object.assign(server, { maxConnections: limit, dropMaxConnection: true });
  const openSockets = new Set<Socket>();
  let scheduled = false;
  const closeIdleSoon = () => {
    if (scheduled) return;
    scheduled = true;
    setTimeout(() => {
      scheduled = false;
      server.closeIdleConnections();
    }, firstRequestMs).unref();
  };
  server.on('connection', (socket: Socket) => {
    openSockets.add(socket);
    socket.once('close', () => openSockets.delete(socket));
    if (openSockets.size >= limit * closeIdleRatio) closeIdleSoon();
  });
  server.on('drop', () => closeIdleSoon());
  const readings = new WeakMap<Socket, Reading>();
  const sweep = setInterval(() => endSlowReaders(openSockets, readings, sendTimeout * 1000), sweepIntervalMs).unref();
  server.once('close', () => clearInterval(sweep));
}

function endSlowReaders(openSockets: ReadonlySet<Socket>, readings: WeakMap<Socket, Reading>, timeoutMs: number): void {
  const now = performance.now();
  const waiting: Socket[] = [];
  for (const socket of openSockets) {
    if (socket.writableLength === 0) readings.delete(socket);
    else if (isSlow(socket, readings, now, timeoutMs)) socket.destroy();
    else waiting.push(socket);
  }
  endLargest(waiting, unsentLimits.total);
}

function isSlow(socket: Socket, readings: WeakMap<Socket, Reading>, now: number, timeoutMs: number): boolean {
  const bytesRead = socket.bytesWritten - socket.writableLength;
  const reading = readings.get(socket);
  if (!reading) {
    readings.set(socket, { since: now, bytesRead });
    return false;
  }
  if (now - reading.since < timeoutMs) return false;
  if (bytesRead - reading.bytesRead < (minBytesPerSecond * timeoutMs) / 1000) return true;
  reading.since = now;
  reading.bytesRead = bytesRead;
  return false;
}

/** The limit of waiting requests on one connection. No real client sends so many without reading a response. */
const maxPipelined = 200;

/** Starts a pipelined request when the previous responses have been sent. Node would start all of them and buffer every response. */
export function serializePipelined(server: Server): void {
  const [handle] = server.listeners('request') as [RequestListener];
  const queuedRequestsBySocket = new WeakMap<Socket, number>();
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // Node assigns the socket to a response when the previous response is complete.
    if (response.socket) {
      handle(request, response);
      return;
    }
    const { socket } = request;
    const queuedRequests = queuedRequestsBySocket.get(socket) ?? 0;
    if (queuedRequests >= maxPipelined) {
      socket.destroy();
      return;
    }
    queuedRequestsBySocket.set(socket, queuedRequests + 1);
    // Reads nothing more from the socket until then.
    socket.pause();
    response.once('socket', () => {
      queuedRequestsBySocket.set(socket, (queuedRequestsBySocket.get(socket) ?? 1) - 1);
      socket.resume();
      handle(request, response);
    });
  });
}
