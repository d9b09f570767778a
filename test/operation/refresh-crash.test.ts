import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ended, gatehouse, serverProcesses } from '../harness/command.ts';
import { databases, onBothEngines } from '../harness/engines.ts';

const headers = { accept: 'application/json' };

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

interface Device {
  refresh: string;
  access: string;
}

onBothEngines('A service that is killed while devices refresh', (engine) => {
  const create = databases(engine);
  const serve = serverProcesses();

  it('signs no device out, whichever responses were lost', async () => {
    const { dir, url: DATABASE_URL } = await create();
    // Without a grace period: any grace period ends if a restart takes long enough.
    const env = { DATABASE_URL, REFRESH_GRACE: '0' };
    const made = await gatehouse(['client', 'create', 'Robot', '--json'], dir, env);
    const { client_id, client_secret } = JSON.parse(made.stdout) as Record<string, string>;
    const request = async (url: string, form: Record<string, string>): Promise<Tokens> => {
      const body = new URLSearchParams({ client_id, client_secret, ...form } as Record<string, string>);
      const response = await fetch(`${url}/v1/oauth/token`, { method: 'POST', headers, body });
      assert.equal(response.status, 200, await response.clone().text());
      return (await response.json()) as Tokens;
    };
    const refresh = async (url: string, device: Device, lost = false): Promise<void> => {
      const response = await request(url, { grant_type: 'refresh_token', refresh_token: device.refresh });
      if (lost) return;
      device.refresh = response.refresh_token;
      device.access = response.access_token;
    };
    const use = async (url: string, { access }: Device): Promise<void> => {
      const response = await fetch(`${url}/v1/clients`, { headers: { ...headers, authorization: `Bearer ${access}` } });
      assert.equal(response.status, 200, await response.text());
    };

    let { url, child } = await serve(dir, env);
    const devices = await Promise.all(
      Array.from({ length: 24 }, async (): Promise<Device> => {
        const { access_token, refresh_token } = await request(url, { grant_type: 'client_credentials' });
        return { access: access_token, refresh: refresh_token };
      }),
    );
    for (let round = 0; round < 2; round++) {
      let responses = 0;
      await Promise.allSettled(
        devices.map(async (device, i) => {
          await refresh(url, device, i % 2 === 0);
          if (++responses === 12) child.kill('SIGKILL');
          if (i % 2 === 1) await use(url, device);
        }),
      );
      await ended(child);
      ({ url, child } = await serve(dir, env));
      for (const device of devices) {
        await refresh(url, device);
        await use(url, device);
      }
    }
    child.kill('SIGTERM');
    assert.deepEqual(await ended(child), [0, null]);
  });
});
