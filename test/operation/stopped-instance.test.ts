import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { isAccepted, logOut, openTokens } from '../harness/bearers.ts';
import { ended, type ServerProcess, serverProcesses } from '../harness/command.ts';
import { databases, type TestDatabase } from '../harness/engines.ts';
import { type Service, services } from '../harness/service.ts';

const BASE_URL = 'http://auth.example.com';

describe('An instance whose process is stopped or killed', () => {
  const start = services('postgres');
  const serve = serverProcesses();
  const create = databases('postgres');
  let database: TestDatabase;
  let near: Service;
  before(async () => {
    const made = await create();
    // The name of a connection must not matter.
    database = { ...made, url: `${made.url}?application_name=whatever` };
    near = await start({ env: { BASE_URL }, database });
  });

  const another = (name: string): Promise<ServerProcess> =>
    serve(database.dir, { BASE_URL, DATABASE_URL: database.url, DATA_DIR: join(database.dir, name) });
  const remembered = async (at: ServerProcess): Promise<string[]> => {
    const tokens = await openTokens(near, 8);
    for (const token of tokens) assert.equal(await isAccepted(at, token), true);
    return tokens;
  };
  const registered = () => near.context.database.db.selectFrom('instances').selectAll().execute();

  it('refuses tokens that were revoked meanwhile, from the first request on', async () => {
    const far = await another('stopped');
    const tokens = await remembered(far);
    far.child.kill('SIGSTOP');
    await Promise.all(tokens.map((token) => logOut(near, token)));
    // These requests wait in the same process as the invalidation, and may be read before it.
    const responses = tokens.map((token) => isAccepted(far, token));
    far.child.kill('SIGCONT');
    assert.deepEqual(
      await Promise.all(responses),
      tokens.map(() => false),
    );
    const more = await remembered(far);
    await Promise.all(more.map((token) => logOut(near, token)));
    assert.deepEqual(
      await Promise.all(more.map((token) => isAccepted(far, token))),
      more.map(() => false),
    );
    far.child.kill('SIGTERM');
    await ended(far.child);
    assert.equal((await registered()).length, 1, 'a stopping instance removes its row');
  });

  it('delays one revocation, and later ones do not wait for it', async () => {
    const far = await another('killed');
    const [first, ...others] = (await remembered(far)) as [string, ...string[]];
    assert.equal((await registered()).length, 2);
    far.child.kill('SIGKILL');
    await ended(far.child);
    await logOut(near, first);
    while ((await registered()).length > 1) await new Promise((resolve) => setTimeout(resolve, 50));
    for (const token of others) await logOut(near, token);
  });

  it('leaves no row behind after an ordinary stop', async () => {
    const another = await start({ env: { BASE_URL }, database });
    assert.equal((await registered()).length, 2);
    await another.close();
    assert.equal((await registered()).length, 1);
  });
});
