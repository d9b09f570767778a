import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unauthorized } from '../../http/gate/unauthorized.ts';
import { writeBatch } from './write-batch.ts';

it('A batch starts no more rows after its caller was refused', async () => {
  let begun = 0;
  const rows = Array.from({ length: 100 }, (_, n) => ({
    id: `${n}`,
    data: undefined,
    ifMatch: undefined,
  }));
  const call = () => {
    begun++;
    throw unauthorized('token_revoked');
  };
  const services = { context: {} } as never;
  const responses = await writeBatch(services, {} as never, {
    operation: 'delete',
    rows,
    requestId: 'r',
    call,
    keys: [],
  });
  assert.ok(begun < 10, `${begun} rows were started`);
  assert.deepEqual(new Set(responses.map((response) => JSON.parse(response).error.code)), new Set(['token_revoked']));
  assert.equal(responses.length, 100);
});
