import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { parseConfig } from '../src/config/config.ts';
import { commitAndInvalidate } from '../src/database/bus.ts';
import { startGatehouse } from '../src/main/start.ts';
import { createClient } from '../src/oauth/clients/client-store.ts';
import { addClientSecret } from '../src/oauth/clients/secrets/client-secrets.ts';
import { pruneSessions } from '../src/oauth/sessions/end-sessions.ts';
import type { Plan } from './compare-operations.ts';
import { gatehouseOperations } from './gatehouse/operations.ts';
import { driveStrictly } from './measure/load.ts';
import type { BenchRequest } from './measure/request.ts';

export interface Hour {
  readonly hour: number;
  readonly logins: number;
  readonly refreshes: number;
  readonly sessions: number;
  readonly databaseMb: number;
  readonly memoryMb: number;
  /** Of a refresh. */
  readonly p99: number;
}

export interface Day {
  readonly hours: readonly Hour[];
}

const hourMs = 3_600_000;

/**
 * Simulates a day in about a minute. The clock moves forward one hour at a time, and sessions live for four hours.
 * Each hour has logins, refreshes and pruning. This would show unbounded growth.
 */
export async function dayOfSessions(plan: Plan): Promise<Day> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-day-'));
  const file = join(dir, 'gatehouse.db');
  let offset = 0;
  const env = {
    DATABASE_URL: `sqlite:${file}`,
    DATA_DIR: dir,
    PORT: '0',
    RATE_LIMIT: '0',
    REFRESH_TOKEN_TTL: String((4 * hourMs) / 1000),
    LOG_LEVEL: 'warn',
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'correct horse battery',
  };
  const service = await startGatehouse(parseConfig({}, env, dir), {
    log: pino({ level: 'warn' }),
    clockOffset: () => offset,
  });
  try {
    const client = await makeClient(service);
    const hours: Hour[] = [];
    for (let hour = 1; hour <= (plan.quick ? 3 : 24); hour++) {
      const load = { connections: 16, seconds: 1 };
      const operations = async () => gatehouseOperations(service.url, client);
      const logins = await driveStrictly(service.url, (await operations())['client credentials'] as BenchRequest, load);
      const refreshes = await driveStrictly(service.url, (await operations()).refresh as BenchRequest, load);
      offset += hourMs;
      await pruneSessions(service.context);
      const { n } = await service.context.database.db
        .selectFrom('sessions')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      hours.push({
        hour,
        logins: logins.requests,
        refreshes: refreshes.requests,
        sessions: n,
        databaseMb: (sizeOf(file) + sizeOf(`${file}-wal`)) / 2 ** 20,
        memoryMb: process.memoryUsage.rss() / 2 ** 20,
        p99: refreshes.p99,
      });
    }
    return { hours };
  } finally {
    await service.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function makeClient({ context, keys }: Awaited<ReturnType<typeof startGatehouse>>) {
  return commitAndInvalidate(context.database, async (tx, invalidate) => {
    const id = 'bench';
    await createClient(tx, { id, type: 'personal', name: 'Bench', scopes: ['*'], userId: null }, context.now());
    return { client_id: id, client_secret: await addClientSecret(context, keys, tx, invalidate, { clientId: id }) };
  });
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
