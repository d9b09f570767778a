import { type Message, message } from '../../src/config/languages/message.ts';
import { everyScope, openidScope } from '../../src/oauth/clients/scopes/scopes.ts';
import type { Page, PageRequest } from '../../src/pages/kit/page-request.ts';
import type { Variables } from '../../src/pages/kit/views.ts';
import { noScopesMessage, readScopes, scopeChoices, scopesInWords } from './scope-choices.ts';
import { formErrors, ownRows, removal, requireOk, showSettings } from './settings-shell.ts';

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

type NewToken = Token & { readonly access_token: string };

export const revokeToken = removal('tokens', '/settings/tokens?done=token-revoked');

export const showNewToken = (pageRequest: PageRequest): Page => showForm(pageRequest, [], {});

const showForm = (pageRequest: PageRequest, chosen: readonly string[], variables: Variables): Page =>
  showSettings(pageRequest, 'tokens', 'settings/token-new', {
    title: message('token_new.title'),
    lifetimes,
    values: { days: '90' },
    ...scopeChoices(pageRequest.kit, chosen),
    ...variables,
  });

/** Only the response that creates or reveals a token shows its value. */
function showValue(pageRequest: PageRequest, { name, access_token, scopes }: NewToken): Page {
  const path = pathToTry(scopes);
  const curl =
    path &&
    [
      `curl '${pageRequest.kit.config.baseUrl}${path}'`,
      `-H 'Accept: application/json'`,
      `-H 'Authorization: Bearer ${access_token}'`,
    ].join(' \\\n  ');
  const variables = { title: name ?? message('token_value.token'), name, access_token, curl };
  return showSettings(pageRequest, 'tokens', 'settings/token-value', variables);
}

export async function createToken(pageRequest: PageRequest): Page {
  const values = pageRequest.form('name', 'days');
  const scopes = readScopes(pageRequest);
  const errors: Record<string, Message> = {};
  if (values.name === '') errors.name = message('application.name_missing');
  if (scopes.length === 0) errors.scopes = noScopesMessage;
  const days = lifetimes.find((choice) => choice.days === values.days)?.days;
  if (!days) errors.expires_at = message('token_new.choose');
  if (Object.keys(errors).length > 0) return showForm(pageRequest.status(422), scopes, { values, errors });
  const expires_at = new Date(pageRequest.kit.now() + Number(days) * 86_400_000).toISOString();
  const body = { name: values.name, scopes, expires_at };
  const response = await pageRequest.callAsUser<NewToken>('POST', '/v1/tokens', body);
  if (response.ok) return showValue(pageRequest, response.data);
  const variables = { values, ...formErrors(response, ['name', 'scopes', 'expires_at']) };
  return showForm(pageRequest.statusOf(response), scopes, variables);
}

export async function revealToken(pageRequest: PageRequest): Page {
  const path = `/v1/tokens/${encodeURIComponent(pageRequest.param('id'))}/values`;
  const response = await pageRequest.callAsUser<NewToken>('POST', path);
  if (response.status === 404 || response.code === 'already_revealed')
    return pageRequest.redirect('/settings/tokens?done=token-collected');
  return showValue(pageRequest, await requireOk(Promise.resolve(response)));
}

/** A request that a token with these scopes may make. Undefined if it may only write. */
function pathToTry(scopes: readonly string[]): string | undefined {
  if (scopes.some((scope) => scope === everyScope || scope === 'users:read')) return '/v1/users/me';
  const readable = scopes.find((scope) => /^[a-z0-9_-]+:read$/.test(scope));
  if (readable) return `/v1/${readable.slice(0, -':read'.length)}?limit=1`;
  return scopes.includes(openidScope) ? '/oauth/userinfo' : undefined;
}

/** Personal access tokens. */
export async function showTokens(pageRequest: PageRequest): Page {
  const tokens = await ownRows<Token>(pageRequest, 'tokens', 'personal');
  const items = tokens.map((token) => ({ ...token, scopes_text: scopesInWords(pageRequest.kit, token.scopes) }));
  return showSettings(pageRequest, 'tokens', 'settings/tokens', { title: message('tokens.title'), items });
}
