import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { Problem } from '../../platform/errors.ts';
import { asObject } from '../../platform/is-object.ts';
import type { Cookies } from './cookies.ts';

export type Macs = Pick<KeyRing, 'macKeys'>;

const purpose = 'page-form';

const invalidForm = (reason: string) =>
  new Problem(403, 'This form has expired', 'Go back, reload the page and send the form again. Nothing was changed.', {
    code: 'csrf_refused',
    reason,
  });

/** The random value that identifies this browser. It is created if missing. */
export function visitorOf(cookies: Cookies, request: FastifyRequest, reply: FastifyReply): string {
  const existing = cookies.read(request).visitor;
  if (existing && /^[\w-]{22}$/.test(existing)) return existing;
  const visitor = randomBytes(16).toString('base64url');
  cookies.setVisitor(reply, visitor);
  return visitor;
}

/** Double submit: a MAC over a random cookie and the session. A form works only for one visitor and one session. */
export function createCsrf(config: Pick<Config, 'baseUrl'>, keys: Macs, cookies: Cookies) {
  const boundTo = (visitor: string, sessionId: string | null) => `${visitor}.${sessionId ?? ''}`;
  /** Throws 403 if another site sent the form. */
  const checkOrigin = (request: FastifyRequest): void => {
    const { origin, 'sec-fetch-site': site } = request.headers;
    if (!mayBeOwnPage(request, config)) throw invalidForm(`a form from ${site ?? origin?.slice(0, 200)}`);
  };
  return {
    /** The value of a form's `_csrf` field. Sets the visitor cookie that it belongs to. */
    token(request: FastifyRequest, reply: FastifyReply): string {
      return keys.macKeys.mac(purpose, boundTo(visitorOf(cookies, request, reply), request.caller.sessionId));
    },
    checkOrigin,
    /** Throws 403 unless the form was made by us, for this visitor and one of these sessions. */
    check(request: FastifyRequest, sessionIds: readonly (string | null)[] = [request.caller.sessionId]): void {
      // An attacker who can set cookies from a neighbouring host also has a matching cookie and field. So the origin is checked
      // too.
      checkOrigin(request);
      const visitor = cookies.read(request).visitor;
      const formToken = asObject(request.body)._csrf;
      if (!visitor || typeof formToken !== 'string') throw invalidForm('the form came without its token or its cookie');
      if (!sessionIds.some((id) => keys.macKeys.matches(purpose, boundTo(visitor, id), formToken)))
        throw invalidForm('the token of the form is not ours');
    },
  };
}

/** Whether an Origin header names this service: by BASE_URL, or by the requested host. */
export const isOwnOrigin = (origin: string, host: string, { baseUrl }: Pick<Config, 'baseUrl'>): boolean =>
  origin === new URL(baseUrl).origin || origin.endsWith(`://${host}`);

/** Whether a page of this service sent the request: by Sec-Fetch-Site, else Origin, else Referer (old browsers). */
export function mayBeOwnPage({ headers, host }: FastifyRequest, config: Pick<Config, 'baseUrl'>): boolean {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return true;
  if (site !== undefined) return false;
  const origin = headers.origin ?? originOf(headers.referer);
  return origin === undefined || isOwnOrigin(origin, host, config);
}

const originOf = (url: string | undefined): string | undefined =>
  url === undefined ? undefined : (URL.parse(url)?.origin ?? 'null');
