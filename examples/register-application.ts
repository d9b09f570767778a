import { send } from './fleet/seed.ts';

interface Registered {
  readonly id: string;
  /** Only in the response that created it. */
  readonly client_secret?: string;
}

/** Registers an application as an administrator. Replaces an application with the same name from an earlier start. */
export async function registerApplication(
  url: string,
  adminToken: string,
  application: { name: string; public: boolean; redirect_uris: string[]; scopes: string[] },
): Promise<Registered> {
  const sameName = `clients?search=${encodeURIComponent(`name:${application.name}`)}`;
  for (const { id } of (await send(url, adminToken, sameName)) as Registered[]) {
    const headers = { accept: 'application/json', authorization: `Bearer ${adminToken}` };
    await fetch(`${url}/v1/clients/${id}`, { method: 'DELETE', headers });
  }
  return (await send(url, adminToken, 'clients', { type: 'application', ...application })) as Registered;
}
