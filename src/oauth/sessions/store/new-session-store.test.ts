import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addClient } from '../../../../test/harness/accounts.ts';
import { contexts } from '../../../../test/harness/contexts.ts';
import { createSessions } from '../../../../test/harness/create-sessions.ts';
import { onBothEngines } from '../../../../test/harness/engines.ts';
import { openKeyRing } from '../../../database/keys/key-ring.ts';
import { systemSource as source } from '../../../http/request-source.ts';

onBothEngines('New sessions', (engine) => {
  const make = contexts(engine);

  it('are not stored if the secret of the client has ended, in a transaction or outside', async () => {
    const context = await make();
    const keys = await openKeyRing(context);
    const { id: clientId } = await addClient({ context, keys }, { type: 'password' });
    const { sessions } = createSessions(context, keys);
    const { database } = context;
    const session = { clientId, secretId: 'deleted', scopes: ['*'], source };
    const refused = { error: 'invalid_client' };
    await assert.rejects(sessions.open(database, session).durable, refused);
    await assert.rejects(
      database.db.transaction().execute((tx) => sessions.open(tx, session).durable),
      refused,
    );
    assert.deepEqual(await database.db.selectFrom('sessions').select('id').execute(), []);
  });
});
