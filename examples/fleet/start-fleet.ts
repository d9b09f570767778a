import { type ConfigFile, startGatehouse } from 'gatehouse-server';
import fleet from './gatehouse.config.ts';
import { logIn, seed } from './seed.ts';

/**
 * Starts the service with the resources of the fleet, and creates rows at the first start. The service ends with the
 * program.
 */
export async function startFleet(workingDir: string, settings: ConfigFile = {}) {
  const resourcesDir = `${import.meta.dirname}/resources`;
  const { url, context, stop } = await startGatehouse({ ...fleet, resourcesDir, ...settings }, { workingDir });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop().then(() => process.exit(0)));
  const { baseUrl, adminEmail, adminPassword } = context.config;
  const adminToken = await logIn(url, adminEmail, adminPassword);
  const filled = await seed(url, adminToken);
  return { baseUrl, adminEmail, adminPassword, adminToken, filled };
}
