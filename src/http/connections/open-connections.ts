import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Config } from '../../config/config.ts';
import type { App } from '../app.ts';
import { unsentLimits } from './unsent-answers.ts';

const sweepMs = 1000;
/** A client that reads fewer bytes per second than this for ANSWER_TIMEOUT is disconnected. */
const slowestBytes = 1024;
/** The limit of unsent bytes of all callers together. Above it, the callers with the most unsent bytes are disconnected. */
const mostWaiting = unsentLimits.inAll;
/** From this share of the connections on, those with no request under way make room. */
const crowded = 0.9;
/** One that has just come has not sent its first request yet. */
const firstRequestMs = 20;
/** Files that the service needs beside its connections. */
const otherFiles = 200;

interface Reading {
  since: number;
  /** Bytes that it had taken then. */
  taken: number;
}

/** How many files the system lets this process open, where it says so. */
function mostFiles(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Keeps connections from filling the process: their number is limited, idle ones make room for new ones, and a connection
 * whose client does not read the answer is closed.
 */
export function limitConnections(app: App, { maxConnections, workers, answerTimeout }: Config): void {
  const { server } = app;
  const most = Math.max(1, Math.min(Math.ceil(maxConnections / workers), mostFiles() - otherFiles));
  server.maxConnections = most;
  const open = new Set<Socket>();
  let making = false;
  const makeRoom = () => {
    if (making) return;
    making = true;
    setTimeout(() => {
      making = false;
      server.closeIdleConnections();
    }, firstRequestMs).unref();
  };
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size >= most * crowded) makeRoom();
  });
  server.on('drop', () => makeRoom());
  const readings = new WeakMap<Socket, Reading>();
  const sweep = setInterval(() => endSlowReaders(open, readings, answerTimeout * 1000), sweepMs).unref();
  server.once('close', () => clearInterval(sweep));
}

function endSlowReaders(open: ReadonlySet<Socket>, readings: WeakMap<Socket, Reading>, timeoutMs: number): void {
  const now = performance.now();
  const waiting: Socket[] = [];
  let bytes = 0;
  for (const socket of open) {
    if (socket.writableLength === 0) readings.delete(socket);
    else if (isSlow(socket, readings, now, timeoutMs)) socket.destroy();
    else {
      waiting.push(socket);
      bytes += socket.writableLength;
    }
  }
  if (bytes <= mostWaiting) return;
  waiting.sort((a, b) => b.writableLength - a.writableLength);
  for (const socket of waiting) {
    if (bytes <= mostWaiting) return;
    bytes -= socket.writableLength;
    socket.destroy();
  }
}

function isSlow(socket: Socket, readings: WeakMap<Socket, Reading>, now: number, timeoutMs: number): boolean {
  const taken = socket.bytesWritten - socket.writableLength;
  const reading = readings.get(socket);
  if (!reading) {
    readings.set(socket, { since: now, taken });
    return false;
  }
  if (now - reading.since < timeoutMs) return false;
  if (taken - reading.taken < (slowestBytes * timeoutMs) / 1000) return true;
  reading.since = now;
  reading.taken = taken;
  return false;
}
