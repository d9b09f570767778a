import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { seed } from '../../examples/fleet/seed.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { logIn } from '../harness/request.ts';
import type { Service, services } from '../harness/service.ts';
import { openConsole } from './open-console.ts';

export const resources = join(import.meta.dirname, '../../examples/fleet/resources');
export const email = 'ada@example.com';

/** The fleet example with its seeds, and its console opened by an administrator. */
export async function openFleet(start: ReturnType<typeof services>, browser: () => Promise<BrowserContext>) {
  const service: Service = await start({ env: { RESOURCES_DIR: resources } });
  await addLogin(service, { email, roles: ['admin'] });
  const token = await logIn(service, email, password);
  await seed(service.url, token);
  return { service, token, ...(await openConsole(await browser(), service, email, password)) };
}
