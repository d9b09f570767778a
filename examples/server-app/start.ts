import { startFleet } from '../fleet/start-fleet.ts';
import { registerApplication } from '../register-application.ts';
import { serverApp, serveServerApp } from './serve-server-app.ts';

const app = await serveServerApp(8080);
const { baseUrl, adminToken } = await startFleet(import.meta.dirname);
const { id, secret = '' } = await registerApplication(baseUrl, adminToken, serverApp(app.origin));
app.knows({ baseUrl, clientId: id, clientSecret: secret });
console.log(`The service is at ${baseUrl}, the application at ${app.origin}

Open it, and sign in as ada@fleet.example with the password fleet-example-user.
`);
