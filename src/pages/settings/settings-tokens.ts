import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Message, message } from '../../config/languages/message.ts';
import type { Context } from '../../database/context.ts';
import { everyScope, type KnownScopes, openidScope } from '../../oauth/clients/scopes/scopes.ts';
import { Problem } from '../../platform/errors.ts';
import { type PageKit, readForm } from '../kit/page-kit.ts';
import type { Variables } from '../kit/views.ts';
import { nothingChosen, readScopes, scopeChoices, scopesInWords } from './scope-choices.ts';
import { asPerson, ignoreNotFound, ownRows, refusal, showSettings } from './settings-shell.ts';

interface Token {
  readonly id: string;
  readonly name: string | null;
  readonly scopes: readonly string[];
  readonly expires_at: string;
  readonly last_used_at: string | null;
  readonly address: string | null;
  readonly revealed: boolean;
}

const lifetimes = [
  { days: '7', label: message('token_new.days', { days: 7 }) },
  { days: '30', label: message('token_new.days', { days: 30 }) },
  { days: '90', label: message('token_new.days', { days: 90 }) },
  { days: '365', label: message('token_new.one_year') },
];

/** Personal access tokens. A value is in one answer only, the one that makes or reveals it. */
export function serveTokens(kit: PageKit, { now }: Context, known: KnownScopes): void {
  const showNew = (request: FastifyRequest, reply: FastifyReply, chosen: readonly string[], variables: Variables) =>
    showSettings(kit, request, reply, 'tokens', 'settings/token-new', {
      title: message('token_new.title'),
      lifetimes,
      values: { days: '90' },
      ...scopeChoices(known, chosen),
      ...variables,
    });

  const showValue = (request: FastifyRequest, reply: FastifyReply, token: Token & { access_token: string }) => {
    const { name, access_token, scopes } = token;
    const path = pathToTry(scopes);
    const curl =
      path &&
      [
        `curl '${kit.config.baseUrl}${path}'`,
        `-H 'Accept: application/json'`,
        `-H 'Authorization: Bearer ${access_token}'`,
      ].join(' \\\n  ');
    const variables = { title: name ?? message('token_value.token'), name, access_token, curl };
    return showSettings(kit, request, reply, 'tokens', 'settings/token-value', variables);
  };

  kit.page('/settings/tokens', 'auth:web', (request, reply) => showTokens(kit, request, reply));
  kit.page('/settings/tokens/new', 'auth:web', (request, reply) => showNew(request, reply, [], {}));

  kit.form('/settings/tokens', 'auth:web', async (request, reply) => {
    const values = readForm(request, 'name', 'days');
    const scopes = readScopes(request);
    const errors: Record<string, Message> = {};
    if (values.name === '') errors.name = message('application.name_missing');
    if (scopes.length === 0) errors.scopes = nothingChosen;
    const days = lifetimes.find((choice) => choice.days === values.days)?.days;
    if (!days) errors.expires_at = message('token_new.choose');
    if (Object.keys(errors).length > 0) return showNew(request, reply.code(422), scopes, { values, errors });
    const expires_at = new Date(now() + Number(days) * 86_400_000).toISOString();
    const answer = await asPerson<Token & { access_token: string }>(request, 'POST', '/v1/tokens', {
      name: values.name,
      scopes,
      expires_at,
    });
    if (answer.ok) return showValue(request, reply, answer.data);
    const variables = { values, ...refusal(answer, ['name', 'scopes', 'expires_at']) };
    return showNew(request, reply.code(answer.status), scopes, variables);
  });

  kit.form('/settings/tokens/:id/reveal', 'auth:web', async (request, reply) => {
    const answer = await asPerson<Token & { access_token: string }>(request, 'POST', `${pathOf(request)}/values`);
    if (answer.ok) return showValue(request, reply, answer.data);
    if (answer.status >= 500)
      throw new Problem(answer.status, 'That did not work', answer.detail, { code: answer.code });
    return kit.go(reply, '/settings/tokens?done=token-collected');
  });

  kit.form('/settings/tokens/:id/revoke', 'auth:web', async (request, reply) => {
    await ignoreNotFound(asPerson(request, 'DELETE', pathOf(request)));
    return kit.go(reply, '/settings/tokens?done=token-revoked');
  });
}

/** A request that a token of these scopes may make; none where it may only write. */
function pathToTry(scopes: readonly string[]): string | undefined {
  if (scopes.some((scope) => scope === everyScope || scope === 'users:read')) return '/v1/users/me';
  const readable = scopes.find((scope) => /^[a-z0-9_-]+:read$/.test(scope));
  if (readable) return `/v1/${readable.slice(0, -':read'.length)}?limit=1`;
  return scopes.includes(openidScope) ? '/oauth/userinfo' : undefined;
}

const pathOf = (request: FastifyRequest): string =>
  `/v1/tokens/${encodeURIComponent((request.params as { id: string }).id)}`;

async function showTokens(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const tokens = await ownRows<Token>(request, 'tokens', 'personal');
  const items = tokens.map((token) => ({ ...token, scopes_text: scopesInWords(token.scopes) }));
  return showSettings(kit, request, reply, 'tokens', 'settings/tokens', { title: message('tokens.title'), items });
}
