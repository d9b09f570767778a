import { message } from '../../src/config/languages/message.ts';
import { describeUserAgent, localizeUserAgent } from '../../src/http/user-agent.ts';
import { findUser } from '../../src/identity/accounts/user-store.ts';
import { setUpOf } from '../../src/identity/factors/authenticators-resource.ts';
import { findPasskeys, passkeyHandle } from '../../src/identity/factors/passkey-store.ts';
import { creationOptions, relyingPartyId } from '../../src/identity/factors/passkeys.ts';
import type { Handler, Page, PageRequest } from '../../src/pages/kit/page-request.ts';
import type { Variables } from '../../src/pages/kit/views.ts';
import type { ApiResponse } from '../../src/pages/session/call-api.ts';
import { userIdOf } from '../../src/platform/caller.ts';
import { notFound } from '../../src/platform/errors.ts';
import { tryParseJson } from '../../src/platform/json-text.ts';
import { formErrors, ownRows, removal, requireOk, showSettings } from './settings-shell.ts';
import { findBrowsers } from './settings-store.ts';

type NewAuthenticator = ReturnType<typeof setUpOf> & { readonly id: string };

const path = '/settings/security';

/** Passkeys, authenticator apps, recovery codes and remembered browsers of the signed-in user. */
export const showSecurity = async (pageRequest: PageRequest, variables: Variables = {}): Page =>
  showSettings(pageRequest, 'security', 'settings/security', {
    title: message('security.title'),
    ...(await securityOf(pageRequest)),
    ...variables,
  });

const showProblem = (pageRequest: PageRequest, response: ApiResponse<unknown>): Page =>
  showSecurity(pageRequest.statusOf(response), formErrors(response, []));

function showCodes(pageRequest: PageRequest, codes: readonly string[]): Page {
  const text = `${pageRequest.kit.brand.name}\n${codes.join('\n')}\n`;
  return showSettings(pageRequest, 'security', 'settings/recovery-codes', {
    title: message('recovery.title'),
    codes,
    file: `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`,
  });
}

const showApp = (pageRequest: PageRequest, app: NewAuthenticator, variables: Variables = {}): Page =>
  showSettings(pageRequest, 'security', 'settings/authenticator-new', {
    title: message('authenticator.title'),
    app: { ...app, spaced: app.secret.replace(/(.{4})/g, '$1 ').trim() },
    ...variables,
  });

export async function addAuthenticator(pageRequest: PageRequest): Page {
  const response = await pageRequest.callAsUser<NewAuthenticator>('POST', '/v1/authenticators', {});
  return response.ok ? showApp(pageRequest, response.data) : showProblem(pageRequest, response);
}

export async function confirmAuthenticator(pageRequest: PageRequest): Page {
  const form = pageRequest.form('code', 'secret');
  const id = pageRequest.param('id');
  const confirmation = `/v1/authenticators/${encodeURIComponent(id)}/confirmations`;
  const body = { code: form.code };
  const response = await pageRequest.callAsUser<{ recovery_codes: string[] }>('POST', confirmation, body);
  if (response.ok) return showCodes(pageRequest, response.data.recovery_codes);
  if (!response.errors.code) return showProblem(pageRequest, response);
  const { database, config } = pageRequest.kit;
  const user = await findUser(database.db, userIdOf(pageRequest.caller));
  const app = { id, ...setUpOf(config, user, form.secret) };
  return showApp(pageRequest.status(422), app, { errors: { code: message('login_step.wrong') } });
}

export const removeFactor = (resource: string): Handler => removal(resource, `${path}?done=factor-removed`);

export async function addPasskey(pageRequest: PageRequest): Page {
  const { passkey, name } = pageRequest.form('passkey', 'name');
  const browser = describeUserAgent(pageRequest.request.headers['user-agent'] ?? null);
  const body = { passkey: tryParseJson(passkey) ?? {}, name: (name || browser).slice(0, 100) };
  const response = await pageRequest.callAsUser<{ recovery_codes?: string[] }>('POST', '/v1/passkeys', body);
  if (!response.ok) return showSecurity(pageRequest.statusOf(response), { problem: message('passkey.failed') });
  const codes = response.data.recovery_codes;
  return codes ? showCodes(pageRequest, codes) : pageRequest.redirect(`${path}?done=factor-added`);
}

export async function renamePasskey(pageRequest: PageRequest): Page {
  const { name } = pageRequest.form('name');
  const id = pageRequest.param('id');
  const response = await pageRequest.callAsUser('PATCH', `/v1/passkeys/${encodeURIComponent(id)}`, { name });
  return response.ok ? pageRequest.redirect(`${path}?done=profile-saved`) : showProblem(pageRequest, response);
}

export async function createRecoveryCodes(pageRequest: PageRequest): Page {
  const response = await pageRequest.callAsUser<{ recovery_codes: string[] }>('POST', '/v1/recovery-codes', {});
  return response.ok ? showCodes(pageRequest, response.data.recovery_codes) : showProblem(pageRequest, response);
}

/** All variables of the page. */
async function securityOf(pageRequest: PageRequest): Promise<Variables> {
  const { db } = pageRequest.kit.database;
  const userId = userIdOf(pageRequest.caller);
  const user = await findUser(db, userId);
  if (!user) throw notFound();
  const [apps, passkeys, browsers, { left }, options, handle] = await Promise.all([
    ownRows<{ confirmed: boolean }>(pageRequest, 'authenticators'),
    findPasskeys(db, userId),
    findBrowsers(db, userId, pageRequest.kit.now()),
    requireOk(pageRequest.callAsUser<{ left: number }>('GET', '/v1/recovery-codes')),
    creationOptions(pageRequest.kit.oauth, user, 'create'),
    passkeyHandle(db, userId),
  ]);
  const accepted = {
    rpId: relyingPartyId(pageRequest.kit.config),
    userId: handle,
    allAcceptedCredentialIds: passkeys.map(({ credential_id }) => credential_id),
  };
  const confirmed = apps.filter((app) => app.confirmed);
  const shownTime = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    mfa_on: pageRequest.kit.config.mfa !== 'off',
    must: !pageRequest.caller.scopes.includes('*'),
    apps: confirmed,
    passkeys: passkeys.map(({ id, name, backup_eligible, backed_up, created_at, last_used_at }) => ({
      id,
      name,
      synced: message(backup_eligible ? (backed_up ? 'passkey.synced' : 'passkey.syncable') : 'passkey.one_device'),
      created_at: shownTime(created_at),
      last_used_at: shownTime(last_used_at),
    })),
    browsers: browsers.map(({ id, user_agent, address, last_used_at, expires_at }) => ({
      id,
      browser: localizeUserAgent(describeUserAgent(user_agent)),
      address,
      last_used_at: shownTime(last_used_at),
      expires_at: shownTime(expires_at),
    })),
    has_factor: confirmed.length > 0 || passkeys.some(({ automatic }) => !automatic),
    left,
    passkey_options: JSON.stringify(options),
    accepted: JSON.stringify(accepted),
  };
}
