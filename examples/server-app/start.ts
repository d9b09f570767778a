import { startFleet } from '../fleet/start-fleet.ts';
import { registerApplication } from '../register-application.ts';
import { serverApp, serveServerApp } from './serve-server-app.ts';

const app = await serveServerApp(8080);
const { baseUrl, adminToken } = await startFleet(import.meta.dirname);
const { id, client_secret: clientSecret = '' } = await registerApplication(baseUrl, adminToken, serverApp(app.origin));
app.knows({ baseUrl, clientId: id, clientSecret });
console.log(`The service is at ${baseUrl}, the application at ${app.origin}

Open it, and sign in as ada@fleet.example with the password fleet-example-user.
`);
