import { startFleet } from './start-fleet.ts';

const { baseUrl, adminEmail, adminPassword, filled } = await startFleet(import.meta.dirname);
console.log(`${filled ? 'The fleet has its first cars' : 'The fleet is as you left it'}. Console: ${baseUrl}/admin (${adminEmail}, ${adminPassword})

Try, in another terminal:

  TOKEN=$(curl -s ${baseUrl}/v1/clients/web/admin/login -H 'Accept: application/json' \\
    -d email=${adminEmail} -d password=${adminPassword} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  curl -s '${baseUrl}/v1/cars?search=model:fiat*&include=owner,drivers&orderBy=plate' \\
    -H 'Accept: application/json' -H "Authorization: Bearer $TOKEN"

The README beside this file goes on from there.
`);
