import type { IncomingMessage, RequestListener } from 'node:http';

// biome-ignore lint/suspicious/noExplicitAny: these packages come without types here, as scripts use them.
type Any = any;

async function textOf(request: IncomingMessage): Promise<string> {
  let sent = '';
  for await (const chunk of request) sent += chunk;
  return sent;
}

/** Does the work of an Auth.js adapter for a framework. */
export const authJs =
  (Auth: Any, host: string, config: object): RequestListener =>
  async (request, response) => {
    const sent = await textOf(request);
    const { method = 'GET', headers } = request;
    const asked = new Request(new URL(request.url ?? '', host), {
      ...{ method, headers: headers as Record<string, string> },
      ...(sent === '' ? {} : { body: sent }),
    });
    const result: Response = await Auth(asked, config);
    for (const cookie of result.headers.getSetCookie()) response.appendHeader('set-cookie', cookie);
    const location = result.headers.get('location');
    response.writeHead(result.status, location ? { location } : {}).end(await result.text());
  };

/** Does the work of a next-auth adapter for a framework. */
export const nextAuth =
  (AuthHandler: Any, host: string, options: object): RequestListener =>
  async (request, response) => {
    const sent = await textOf(request);
    const url = new URL(request.url ?? '', host);
    const [action, providerId] = url.pathname.replace('/api/auth/', '').split('/');
    const cookies = Object.fromEntries(
      (request.headers.cookie ?? '')
        .split('; ')
        .filter(Boolean)
        .map((pair) => [pair.slice(0, pair.indexOf('=')), decodeURIComponent(pair.slice(pair.indexOf('=') + 1))]),
    );
    const asked = {
      ...{ action, providerId, method: request.method, headers: request.headers, cookies, origin: host },
      ...{ query: Object.fromEntries(url.searchParams), body: Object.fromEntries(new URLSearchParams(sent)) },
    };
    process.env.NEXTAUTH_URL = host;
    const result = await AuthHandler({ req: asked, options });
    for (const { name, value, options: attributes } of result.cookies ?? []) {
      const ends = attributes.maxAge === 0 ? '; Max-Age=0' : '';
      response.appendHeader('set-cookie', `${name}=${encodeURIComponent(value)}; Path=/${ends}`);
    }
    for (const { key, value } of result.headers ?? []) response.setHeader(key, value);
    if (result.redirect) response.writeHead(302, { location: result.redirect }).end();
    else response.writeHead(result.status ?? 200).end(JSON.stringify(result.body ?? ''));
  };
