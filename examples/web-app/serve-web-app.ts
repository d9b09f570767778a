import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';

/** The registration of the application: public, because a browser cannot keep a secret. */
export const webApp = (origin: string) => ({
  name: 'Fleet on the web',
  public: true,
  redirect_uris: [`${origin}/`],
  scopes: ['openid', 'profile', 'offline_access', 'cars:read'],
});

export interface AppSettings {
  readonly baseUrl: string;
  readonly clientId: string;
}

const own: Record<string, string> = {
  '/': 'text/html; charset=utf-8',
  '/app.js': 'text/javascript; charset=utf-8',
  '/style.css': 'text/css; charset=utf-8',
};
const clientFile = /^\/client\/([\w-]+\.[jt]s)$/;

/** Serves the files of this folder, and the client as modules. Any static file server or bundler works too. */
export async function serveWebApp(port: number) {
  let settings: AppSettings | undefined;
  const client = import.meta.resolve('gatehouse-server/client');

  async function contentOf(path: string): Promise<[type: string, content: string] | undefined> {
    if (path === '/settings.json') return ['application/json', JSON.stringify(settings)];
    const [, file] = clientFile.exec(path) ?? [];
    if (file) {
      const code = await readFile(new URL(file, client), 'utf8');
      return ['text/javascript; charset=utf-8', file.endsWith('.ts') ? stripTypeScriptTypes(code) : code];
    }
    const type = own[path];
    if (!type) return undefined;
    const text = await readFile(new URL(path === '/' ? 'index.html' : path.slice(1), import.meta.url), 'utf8');
    return [type, text.replace('CLIENT', `/client/${basename(client)}`)];
  }

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const [type, content] = (await contentOf(pathname).catch(() => undefined)) ?? [];
    if (type === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(content);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    knows(known: AppSettings) {
      settings = known;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
