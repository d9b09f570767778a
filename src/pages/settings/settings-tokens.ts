import type { FastifyReply } from 'fastify';
import { type Message, message } from '../../config/languages/message.ts';
import { everyScope, openidScope } from '../../oauth/clients/scopes/scopes.ts';
import { Problem } from '../../platform/errors.ts';
import type { PageKit, PageRequest } from '../kit/page-request.ts';
import type { Variables } from '../kit/views.ts';
import { noScopesMessage, readScopes, scopeChoices, scopesInWords } from './scope-choices.ts';
import { formErrors, ownRows, serveRemoval, showSettings } from './settings-shell.ts';

/** A token as the API shows it. The views use more of its fields. */
interface Token {
  readonly name: string | null;
  readonly scopes: readonly string[];
}

const lifetimes = [
  { days: '7', label: message('token_new.days', { days: 7 }) },
  { days: '30', label: message('token_new.days', { days: 30 }) },
  { days: '90', label: message('token_new.days', { days: 90 }) },
  { days: '365', label: message('token_new.one_year') },
];

/** Personal access tokens. Only the response that creates or reveals a token shows its value. */
export function serveTokens(kit: PageKit): void {
  const showNew = (pageRequest: PageRequest, chosen: readonly string[], variables: Variables) =>
    showSettings(pageRequest, 'tokens', 'settings/token-new', {
      title: message('token_new.title'),
      lifetimes,
      values: { days: '90' },
      ...scopeChoices(kit, chosen),
      ...variables,
    });

  const showValue = (pageRequest: PageRequest, token: Token & { access_token: string }) => {
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
    return showSettings(pageRequest, 'tokens', 'settings/token-value', variables);
  };

  kit.page('/settings/tokens', 'auth:web', showTokens);
  kit.page('/settings/tokens/new', 'auth:web', (pageRequest) => showNew(pageRequest, [], {}));

  kit.form('/settings/tokens', 'auth:web', async (pageRequest) => {
    const values = pageRequest.form('name', 'days');
    const scopes = readScopes(pageRequest);
    const errors: Record<string, Message> = {};
    if (values.name === '') errors.name = message('application.name_missing');
    if (scopes.length === 0) errors.scopes = noScopesMessage;
    const days = lifetimes.find((choice) => choice.days === values.days)?.days;
    if (!days) errors.expires_at = message('token_new.choose');
    if (Object.keys(errors).length > 0) return showNew(pageRequest.status(422), scopes, { values, errors });
    const expires_at = new Date(kit.now() + Number(days) * 86_400_000).toISOString();
    const response = await pageRequest.callAsUser<Token & { access_token: string }>('POST', '/v1/tokens', {
      name: values.name,
      scopes,
      expires_at,
    });
    if (response.ok) return showValue(pageRequest, response.data);
    const variables = { values, ...formErrors(response, ['name', 'scopes', 'expires_at']) };
    return showNew(pageRequest.status(response.status), scopes, variables);
  });

  kit.form('/settings/tokens/:id/reveal', 'auth:web', async (pageRequest) => {
    const response = await pageRequest.callAsUser<Token & { access_token: string }>(
      'POST',
      `${pathOf(pageRequest)}/values`,
    );
    if (response.ok) return showValue(pageRequest, response.data);
    if (response.status >= 500)
      throw new Problem(response.status, 'That did not work', response.detail, { code: response.code });
    return pageRequest.redirect('/settings/tokens?done=token-collected');
  });

  serveRemoval(kit, '/settings/tokens/:id/revoke', 'tokens', '/settings/tokens?done=token-revoked');
}

/** A request that a token with these scopes may make. Undefined if it may only write. */
function pathToTry(scopes: readonly string[]): string | undefined {
  if (scopes.some((scope) => scope === everyScope || scope === 'users:read')) return '/v1/users/me';
  const readable = scopes.find((scope) => /^[a-z0-9_-]+:read$/.test(scope));
  if (readable) return `/v1/${readable.slice(0, -':read'.length)}?limit=1`;
  return scopes.includes(openidScope) ? '/oauth/userinfo' : undefined;
}

const pathOf = (pageRequest: PageRequest): string => `/v1/tokens/${encodeURIComponent(pageRequest.param('id'))}`;

async function showTokens(pageRequest: PageRequest): Promise<FastifyReply> {
  const tokens = await ownRows<Token>(pageRequest, 'tokens', 'personal');
  const items = tokens.map((token) => ({ ...token, scopes_text: scopesInWords(pageRequest.kit, token.scopes) }));
  return showSettings(pageRequest, 'tokens', 'settings/tokens', { title: message('tokens.title'), items });
}
