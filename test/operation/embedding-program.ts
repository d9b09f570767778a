import { startGatehouse } from 'gatehouse-server';
import { ask } from '../harness/ask.ts';

/** A program that has the service as a part of it: it uses its threads, stops it, and says what is left of it. */
const service = await startGatehouse(JSON.parse(process.env.SETTINGS as string));
const credentials = { email: 'admin@example.com', password: 'correct horse battery' };
const logIn = () =>
  ask<{ access_token: string }>(service, '/v1/clients/web/admin/login', { json: credentials, method: 'POST' });
const [login] = await Promise.all(Array.from({ length: 12 }, logIn));
await Promise.all(Array.from({ length: 12 }, (_, i) => service.keys.signingKeys.signInWorker({ i }, { typ: 'JWT' })));
const search = await ask(service, '/v1/users?search=name:somebody', { token: login?.body.access_token ?? '' });
const threads = () => (process.report.getReport() as unknown as { workers: unknown[] }).workers.length;
const before = threads();
await service.stop();
// The pipes are the program's own; a request of its file system may still be under way for the module loader.
const open = process.getActiveResourcesInfo().filter((kind) => !/^(Pipe|TTY|FSReq|Close)/.test(kind));
console.log(JSON.stringify({ status: search.status, before, after: threads(), open }));
