import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Authorization, createGatehouse, type Gatehouse } from 'gatehouse-server/client';
import { GatehouseError } from 'gatehouse-server/client/errors';

/** The registration of the application: confidential, because its secret stays on this server. */
export const serverApp = (origin: string) => ({
  name: 'Fleet on a server',
  public: false,
  redirect_uris: [`${origin}/callback`],
  scopes: ['openid', 'profile', 'offline_access', 'cars:read'],
});

export interface AppSettings {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The session of one browser. Its tokens stay on this server. */
interface Session {
  readonly gatehouse: Gatehouse;
  /** The pending authorization request. */
  authorization?: Authorization;
  isSignedIn: boolean;
}

const maxSessions = 1000;

export async function serveServerApp(port: number) {
  const sessions = new Map<string, Session>();
  let settings: AppSettings | undefined;
  let origin = '';

  function open(session: Session): string {
    const id = randomBytes(32).toString('base64url');
    sessions.set(id, session);
    const [oldest] = sessions.keys();
    if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest);
    return `fleet_session=${id}; HttpOnly; SameSite=Lax; Path=/`;
  }

  function newSession(): Session {
    if (!settings) throw new Error('The application is not registered yet.');
    const { baseUrl, clientId, clientSecret } = settings;
    const application = {
      clientId,
      clientSecret,
      redirectUri: `${origin}/callback`,
      scope: 'openid profile offline_access cars:read',
    };
    return { gatehouse: createGatehouse({ baseUrl, application }), isSignedIn: false };
  }

  const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>> = {
    async 'GET /'(request, response) {
      const session = sessions.get(idOf(request));
      if (!session?.isSignedIn)
        return send(response, '<p>Sign in to see the cars.</p><p><a href="/login">Sign in</a></p>');
      const { body } = await session.gatehouse.call({ method: 'GET', path: '/oauth/userinfo' });
      const { data } = await session.gatehouse.resource<Car>('cars').list({ orderBy: 'plate' });
      const cars = data.map(({ plate, model }) => `<li>${escaped(plate)}, ${escaped(model)}</li>`).join('');
      const name = escaped((body as { name: string }).name);
      const form = '<form method="post" action="/logout"><button>Sign out</button></form>';
      send(response, `<p>Hello, ${name}. These are the cars.</p><ul>${cars}</ul>${form}`);
    },
    async 'GET /login'(_, response) {
      const session = newSession();
      session.authorization = await session.gatehouse.authorize();
      redirect(response, session.authorization.url, open(session));
    },
    async 'GET /callback'(request, response) {
      const id = idOf(request);
      const session = sessions.get(id);
      if (!session?.authorization) return redirect(response, '/login');
      sessions.delete(id);
      await session.gatehouse.redeem(session.authorization, request.url ?? '/');
      // A new id after the login prevents session fixation.
      redirect(response, '/', open({ gatehouse: session.gatehouse, isSignedIn: true }));
    },
    async 'POST /logout'(request, response) {
      const id = idOf(request);
      const session = sessions.get(id);
      sessions.delete(id);
      await session?.gatehouse.logout();
      redirect(response, '/');
    },
  };

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const route = routes[`${request.method} ${pathname}`];
    if (!route) return void response.writeHead(404).end();
    try {
      await route(request, response);
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      sessions.delete(idOf(request));
      const message = error.code === 'access_denied' ? 'You denied access.' : error.message;
      send(response, `<p>${escaped(message)}</p><p><a href="/login">Sign in</a></p>`, 403);
    }
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    knows(known: AppSettings) {
      settings = known;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Car {
  plate: string;
  model: string;
}

/** Cookies do not distinguish ports, so the name must differ from the service's cookie on the same machine. */
const idOf = ({ headers }: IncomingMessage): string =>
  /(?:^|; )fleet_session=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? '';

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

function send(response: ServerResponse, content: string, status = 200): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
  });
  response.end(
    `<!doctype html><html lang="en"><title>Fleet on a server</title><h1>Fleet on a server</h1>${content}</html>`,
  );
}

function redirect(response: ServerResponse, location: string, cookie?: string): void {
  response.writeHead(303, { location, ...(cookie ? { 'set-cookie': cookie } : {}) }).end();
}
