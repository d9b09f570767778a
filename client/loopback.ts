import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuthorizationOptions } from './application.ts';
import type { Session } from './gatehouse.ts';

export interface LoopbackOptions extends Pick<AuthorizationOptions, 'prompt' | 'loginHint'> {
  /** Shows the address to the person, or opens it in their browser. */
  open(url: string): unknown;
  /** The path of the registered redirect URI `http://127.0.0.1/callback`. Its port may be any (RFC 8252 7.3). */
  path?: string;
  /** Cancels the sign-in. */
  signal?: AbortSignal;
}

const page = (text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${text}</title><p>${text} You can close this window.</p></html>`;

/** Signs a person in from a program on their own machine. Their browser returns to a port that this function opens. */
export async function signInByLoopback(
  gatehouse: Session,
  { open, path = '/callback', signal, ...options }: LoopbackOptions,
): Promise<void> {
  signal?.throwIfAborted();
  const came = Promise.withResolvers<{ address: string; response: ServerResponse }>();
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isAnswer = request.method === 'GET' && address.pathname === path && address.searchParams.has('state');
    if (isAnswer) return came.resolve({ address: address.href, response });
    response.writeHead(404).end();
  });
  const stop = () => came.reject(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    const authorization = await gatehouse.authorize({ ...options, redirectUri });
    await open(authorization.url);
    const { address, response } = await came.promise;
    const headers = { 'content-type': 'text/html; charset=utf-8', connection: 'close' };
    try {
      await gatehouse.redeem(authorization, address);
      response.writeHead(200, headers).end(page('You are signed in.'));
    } catch (error) {
      response.writeHead(400, headers).end(page('You are not signed in.'));
      throw error;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    server.close();
    server.closeIdleConnections();
  }
}
