import type { FastifyReply, FastifyRequest } from 'fastify';
import { message } from '../../config/languages/message.ts';
import type { App } from '../../http/app.ts';
import { noValidation } from '../../http/no-validation.ts';
import { badRequest } from '../../platform/errors.ts';
import { type PageKit, queryOf, readForm } from '../kit/page-kit.ts';
import { AuthorizePage, type Means, type Visit } from './authorize-page.ts';
import { authorizeSchema } from './authorize-schema.ts';
import { digestOf } from './consent-page.ts';
import { type Continuation, continuePath } from './continuations.ts';

const endpoint = '/oauth/authorize';
const decisionPath = `${endpoint}/decision`;
const config = { auth: 'public', web: 'optional', errors: 'page' } as const;
const schema = { hide: true };
/** Of a request by a form, in the address that the browser goes on to. */
const longestQuery = 8 * 1024;

/** RFC 6749 3.1. A page for people who are signed in; others sign in and come back. */
export async function serveAuthorize(app: App, kit: PageKit, means: Means): Promise<void> {
  const page = new AuthorizePage(kit, means);
  const { continuations } = means;

  app.get(
    endpoint,
    { config: { ...config, query: 'raw' }, schema: authorizeSchema, ...noValidation, exposeHeadRoute: false },
    (request, reply) => page.answer({ request, reply, continuation: { query: queryStringOf(request), progress: {} } }),
  );
  app.get(continuePath, { config, schema, exposeHeadRoute: false }, (request, reply) =>
    page.answer({ request, reply, continuation: required(continuations.read(queryOf(request))) }),
  );
  app.post(decisionPath, { config, schema }, (request, reply) => {
    const fields = readForm(request, 'request', 'since', 'chosen', 'mac');
    return decide(kit, means, page, { request, reply, continuation: required(continuations.read(fields)) });
  });
  await serveByPost(app, kit);
}

const queryStringOf = ({ url }: FastifyRequest): string => {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
};

function required(continuation: Continuation | undefined): Continuation {
  if (continuation) return continuation;
  throw badRequest('The request of the application is missing. Go back to the application and start again.');
}

/** Carries out the user's decision. */
async function decide(kit: PageKit, means: Means, page: AuthorizePage, visit: Visit): Promise<FastifyReply> {
  const { request, reply, continuation } = visit;
  // The session has ended while the page was open. Nothing is decided by nobody; they are asked again.
  if (request.caller.kind === 'anonymous') return kit.go(reply, means.continuations.path(continuation));
  kit.checkForm(request);
  const { decision } = readForm(request, 'decision');
  if (decision === 'allow') return allow(page, visit);
  if (decision === 'deny') return page.deny(visit);
  if (decision === 'other-account') return page.signIn(visit);
  if (decision !== 'this-account') throw badRequest('Press one of the buttons.');
  const progress = { ...continuation.progress, chosen: request.caller.sessionId ?? undefined };
  return kit.go(reply, means.continuations.path({ ...continuation, progress }));
}

const allow = (page: AuthorizePage, visit: Visit): Promise<FastifyReply> =>
  page.allow(visit, async (asked, scopes) => {
    const sent = (visit.request.body ?? {}) as Record<string, unknown>;
    const { reply } = visit;
    const shown = await page.shown(asked.authorization, scopes);
    const isTicked = (name: string) => sent[`scope:${name}`] !== undefined;
    const chosen = shown.scopes.filter(({ name, fixed }) => fixed || isTicked(name)).map(({ name }) => name);
    const left_out = scopes.filter((name) => !chosen.includes(name));
    if (sent.shown !== digestOf(shown)) {
      const problem = message('authorize.changed');
      return page.askConsent({ ...visit, reply: reply.code(409) }, asked, scopes, { problem });
    }
    if (chosen.length === 0) {
      const problem = message('authorize.tick_one');
      return page.askConsent({ ...visit, reply: reply.code(422) }, asked, scopes, { problem, left_out });
    }
    return page.give(visit, asked, chosen, scopes);
  });

/**
 * OpenID Connect Core 3.1.2.1: an application may have the request sent by a form. It comes from another site, and so
 * without the cookies of the session: it goes on as what it would have been by GET.
 */
async function serveByPost(app: App, kit: PageKit): Promise<void> {
  await app.register(async (scope) => {
    const type = 'application/x-www-form-urlencoded';
    scope.removeContentTypeParser(type);
    scope.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, done) => done(null, body));
    scope.post(endpoint, { config: { auth: 'public', errors: 'page' }, schema }, ({ body }, reply) => {
      const query = typeof body === 'string' ? new URLSearchParams(body) : new URLSearchParams(textsOf(body));
      const text = query.toString();
      // No header could carry it, and no browser would follow.
      if (text.length > longestQuery) throw badRequest('The application that sent you here sent far too much.');
      return kit.go(reply, `${endpoint}?${text}`);
    });
  });
}

const textsOf = (body: unknown): [string, string][] =>
  Object.entries(body ?? {}).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
