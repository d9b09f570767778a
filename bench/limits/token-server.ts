import type { KeyObject } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { Operations } from '../measure/request.ts';
import { afterBody, generateKey, json, openSessions, post, signedToken, tokenResponse } from './tokens.ts';

interface Signed {
  readonly batch: number;
  readonly tokens: readonly string[];
}

function serveSignatures(port: NonNullable<typeof parentPort>): void {
  port.on('message', ({ batch, sessions }: { batch: number; sessions: readonly string[] }) =>
    port.postMessage({
      batch,
      tokens: sessions.map((id) => signedToken(workerData as KeyObject, id)),
    } satisfies Signed),
  );
}

interface Pending {
  readonly response: ServerResponse;
  readonly session: string;
  token?: string;
  isDurable?: boolean;
}

const batchSize = 8;

/**
 * The least work for a token if a thread signs in batches and concurrent writes share a commit, as in Gatehouse, on bare `node:http` and
 * without checks. `server.ts` signs and commits each token separately.
 */
function serveTokens(): void {
  const sessions = openSessions();
  const thread = new Worker(new URL(import.meta.url), { workerData: generateKey() });
  const rotated = Array.from({ length: 64 }, sessions.insert);
  let next = 0;
  let writes: (() => Pending)[] = [];
  let unsigned: Pending[] = [];
  let lastBatch = 0;
  const batches = new Map<number, readonly Pending[]>();

  const respond = ({ response, session, token, isDurable }: Pending) => {
    if (token !== undefined && isDurable) json(response, tokenResponse(token, session));
  };
  const sign = () => {
    if (unsigned.length === 0) return;
    const batch = ++lastBatch;
    batches.set(batch, unsigned);
    thread.postMessage({ batch, sessions: unsigned.map(({ session }) => session) });
    unsigned = [];
  };
  thread.on('message', ({ batch, tokens }: Signed) => {
    for (const [i, pending] of (batches.get(batch) ?? []).entries()) {
      pending.token = tokens[i] as string;
      respond(pending);
    }
    batches.delete(batch);
  });
  const commit = () => {
    sessions.file.exec('begin immediate');
    const written: Pending[] = [];
    for (const write of writes) {
      const pending = write();
      written.push(pending);
      if (unsigned.push(pending) >= batchSize) sign();
    }
    writes = [];
    sign();
    sessions.file.exec('commit');
    for (const pending of written) {
      pending.isDurable = true;
      respond(pending);
    }
  };
  const write = (response: ServerResponse, store: () => string) => {
    if (writes.push(() => ({ response, session: store() })) === 1) setImmediate(commit);
  };

  const operations: Operations = {
    'client credentials': post('/client-credentials', 'access_token'),
    refresh: post('/refresh', 'access_token'),
  };
  createServer((request, response) => {
    const { url } = request;
    if (url === '/client-credentials') return afterBody(request, () => write(response, sessions.insert));
    if (url !== '/refresh') return json(response, JSON.stringify(operations));
    afterBody(request, () =>
      write(response, () => {
        const id = rotated[next++ % rotated.length] as string;
        sessions.rotate(id);
        return id;
      }),
    );
  }).listen(Number(process.env.PORT), '127.0.0.1');
}

if (isMainThread) serveTokens();
else if (parentPort) serveSignatures(parentPort);
