import { fileURLToPath } from 'node:url';
import { announce } from '../../src/cli/announce.ts';
import { askedToStop, stopAndExit } from '../../src/cli/stopping.ts';
import { loadConfig } from '../../src/config.ts';
import { OperatorError } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import { startGatehouse } from '../../src/start.ts';
import { logIn, seed } from './seed.ts';

/** Starts the service with the resources of this folder, and fills it the first time. */
async function start(): Promise<void> {
  const asked = askedToStop();
  const config = await loadConfig({}, fileURLToPath(new URL('.', import.meta.url)));
  const forPeople = process.stdout.isTTY === true;
  const log = createLog(config.logLevel, forPeople);
  const service = await startGatehouse(config, { log });
  announce(service, forPeople);
  const { baseUrl, adminEmail, adminPassword } = service.context.config;
  const filled = await seed(service.url, await logIn(service.url, adminEmail, adminPassword));
  console.log(`${filled ? 'The fleet has its first cars' : 'The fleet is as you left it'}. Try, in another terminal:

  TOKEN=$(curl -s ${baseUrl}/v1/clients/web/admin/login -H 'Accept: application/json' \\
    -d email=${adminEmail} -d password=${adminPassword} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  curl -s '${baseUrl}/v1/cars?search=model:fiat*&include=owner,drivers&orderBy=plate' \\
    -H 'Accept: application/json' -H "Authorization: Bearer $TOKEN"

The README beside this file goes on from there.
`);
  await stopAndExit(service, await asked, log);
}

start().catch((error: unknown) => {
  console.error(error instanceof OperatorError ? error.message : error);
  process.exit(1);
});
