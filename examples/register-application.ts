import { send } from './fleet/seed.ts';

interface Registered {
  readonly id: string;
  /** In the answer that made it alone. */
  readonly client_secret?: string;
}

/** Registers an application that people sign in to, as an administrator. One of that name from an earlier start gives way. */
export async function registerApplication(
  url: string,
  adminToken: string,
  application: { name: string; public: boolean; redirect_uris: string[]; scopes: string[] },
): Promise<Registered> {
  const same = `clients?search=${encodeURIComponent(`name:${application.name}`)}`;
  for (const { id } of (await send(url, adminToken, same)) as Registered[]) {
    const headers = { accept: 'application/json', authorization: `Bearer ${adminToken}` };
    await fetch(`${url}/v1/clients/${id}`, { method: 'DELETE', headers });
  }
  return (await send(url, adminToken, 'clients', { type: 'application', ...application })) as Registered;
}
