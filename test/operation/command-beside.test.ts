import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { commitAndInvalidate } from '../../src/database/bus.ts';
import type { Database } from '../../src/database/database.ts';
import { decodePart } from '../../src/database/keys/jws-parts.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { revokeSessions } from '../../src/oauth/sessions/store/session-store.ts';
import { isAccepted, openTokens } from '../harness/bearers.ts';
import { onBothEngines } from '../harness/engines.ts';
import { type Service, services } from '../harness/service.ts';

onBothEngines('A command during the run of a busy service', (engine) => {
  const start = services(engine);
  let service: Service;
  /** The database, opened as by another process. */
  let beside: Database;
  before(async () => {
    service = await start();
    beside = await openDatabase(service.context.config);
    await migrate(beside);
  });
  after(() => beside.close());

  const revoke = (token: string) =>
    commitAndInvalidate(beside, async (tx, invalidate) => {
      const { sid } = decodePart(token.split('.')[1] as string) as { sid: string };
      const ended = await revokeSessions(tx, { sessionId: sid }, beside.now());
      assert.equal(ended.length, 1);
      invalidate({ kind: 'session', id: sid });
    });

  it('has revoked the session when it reports so', async () => {
    const tokens = await openTokens(service, 60);
    const stillAccepted: string[] = [];
    await Promise.all(
      Array.from({ length: 4 }, async (_, n) => {
        for (const token of tokens.slice(n * 15, n * 15 + 15)) {
          let over = false;
          const busy = Array.from({ length: 3 }, async () => {
            while (!over) await isAccepted(service, token);
          });
          assert.equal(await isAccepted(service, token), true);
          await revoke(token);
          if (await isAccepted(service, token)) stillAccepted.push(token);
          over = true;
          await Promise.all(busy);
        }
      }),
    );
    assert.deepEqual(stillAccepted, []);
  });
});
