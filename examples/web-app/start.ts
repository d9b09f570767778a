import { startFleet } from '../fleet/start-fleet.ts';
import { registerApplication } from '../register-application.ts';
import { serveWebApp, webApp } from './serve-web-app.ts';

const port = 5173;
const app = await serveWebApp(port);
const { baseUrl, adminToken } = await startFleet(import.meta.dirname, { corsOrigins: [app.origin] });
const { id } = await registerApplication(baseUrl, adminToken, webApp(app.origin));
app.knows({ baseUrl, clientId: id });
console.log(`The service is at ${baseUrl}, the application on another origin: ${app.origin}

Open it, and sign in as ada@fleet.example with the password fleet-example-user.
`);
