import { startGatehouse } from 'gatehouse-server';
import { request } from '../harness/request.ts';

/** A program that embeds the service, uses its threads, stops it, and prints the remaining handles. */
const service = await startGatehouse(JSON.parse(process.env.SETTINGS as string));
const credentials = { email: 'admin@example.com', password: 'correct horse battery' };
const logIn = () =>
  request<{ access_token: string }>(service, '/v1/clients/web/admin/login', { json: credentials, method: 'POST' });
const [login] = await Promise.all(Array.from({ length: 12 }, logIn));
await Promise.all(Array.from({ length: 12 }, (_, i) => service.keys.signingKeys.signOnThread({ i }, { typ: 'JWT' })));
const search = await request(service, '/v1/users?search=name:somebody', { token: login?.body.access_token ?? '' });
const threads = () => (process.report.getReport() as { workers: unknown[] }).workers.length;
const before = threads();
await service.stop();
// The pipes belong to the program. A file system request of the module loader may still be running.
const open = process.getActiveResourcesInfo().filter((kind) => !/^(Pipe|TTY|FSReq|Close)/.test(kind));
console.log(JSON.stringify({ status: search.status, before, after: threads(), open }));
