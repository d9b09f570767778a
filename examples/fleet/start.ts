import { startGatehouse } from 'gatehouse';
import settings from './gatehouse.config.ts';
import { logIn, seed } from './seed.ts';

/** Starts the service with the resources of this folder, and fills it the first time. */
const { url, context, stop } = await startGatehouse(settings, { workingDir: import.meta.dirname });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop().then(() => process.exit(0)));
const { baseUrl, adminEmail, adminPassword } = context.config;
const filled = await seed(url, await logIn(url, adminEmail, adminPassword));
console.log(`${filled ? 'The fleet has its first cars' : 'The fleet is as you left it'}. Console: ${baseUrl}/admin (${adminEmail}, ${adminPassword})

Try, in another terminal:

  TOKEN=$(curl -s ${baseUrl}/v1/clients/web/admin/login -H 'Accept: application/json' \\
    -d email=${adminEmail} -d password=${adminPassword} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  curl -s '${baseUrl}/v1/cars?search=model:fiat*&include=owner,drivers&orderBy=plate' \\
    -H 'Accept: application/json' -H "Authorization: Bearer $TOKEN"

The README beside this file goes on from there.
`);
