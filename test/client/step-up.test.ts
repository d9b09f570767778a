import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createGatehouse } from '../../client/gatehouse.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { services } from '../harness/service.ts';

onBothEngines('The client, when the service requires a recent proof', (engine) => {
  const start = services(engine);

  it('calls onStepUp and repeats the request once', async () => {
    const service = await start();
    const { email } = await addLogin(service);
    const asked: string[] = [];
    let given: Record<string, unknown> | undefined = { password };
    const gatehouse = createGatehouse({
      baseUrl: service.url,
      onStepUp: async ({ code }) => {
        asked.push(code);
        return given;
      },
    });
    await gatehouse.login({ email, password });
    const make = () => gatehouse.call({ method: 'POST', path: '/v1/tokens', body: { name: 'CI' } });
    await make();
    assert.deepEqual(asked, []);
    service.advance(901_000);
    await make();
    assert.deepEqual(asked, ['proof_too_old']);
    service.advance(901_000);
    given = undefined;
    await assert.rejects(make(), { code: 'proof_too_old' });
  });
});
