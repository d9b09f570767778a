import type { FastifyReply } from 'fastify';
import { message } from '../../config/languages/message.ts';
import { describeUserAgent, localizeUserAgent } from '../../http/user-agent.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import { setUpOf } from '../../identity/factors/authenticators-resource.ts';
import { findHeldFactors, hasSecondFactor } from '../../identity/factors/held-factor-store.ts';
import { findPasskeys, passkeyHandle } from '../../identity/factors/passkey-store.ts';
import { creationOptions, relyingPartyId } from '../../identity/factors/passkeys.ts';
import { findBrowsers } from '../../identity/factors/remembered-browser-store.ts';
import { userIdOf } from '../../platform/caller.ts';
import { notFound } from '../../platform/errors.ts';
import { tryParseJson } from '../../platform/json-text.ts';
import type { PageKit, PageRequest } from '../kit/page-request.ts';
import type { Variables } from '../kit/views.ts';
import type { ApiResponse } from '../session/call-api.ts';
import { formErrors, requireOk, serveRemoval, showSettings } from './settings-shell.ts';

type NewAuthenticator = ReturnType<typeof setUpOf> & { readonly id: string };

const path = '/settings/security';

/** Passkeys, authenticator apps, recovery codes and remembered browsers of the signed-in user. */
export function serveSecurity(kit: PageKit): void {
  const show = async (pageRequest: PageRequest, variables: Variables = {}) =>
    showSettings(pageRequest, 'security', 'settings/security', {
      title: message('security.title'),
      ...(await securityOf(pageRequest)),
      ...variables,
    });
  const showProblem = (pageRequest: PageRequest, response: ApiResponse<unknown>) =>
    show(pageRequest.status(response.status), formErrors(response, []));
  const showCodes = (pageRequest: PageRequest, codes: readonly string[]) =>
    showSettings(pageRequest, 'security', 'settings/recovery-codes', {
      title: message('recovery.title'),
      codes,
      file: `data:text/plain;charset=utf-8,${encodeURIComponent(`${kit.brand.name}\n${codes.join('\n')}\n`)}`,
    });
  const showApp = (pageRequest: PageRequest, app: NewAuthenticator, variables: Variables = {}) =>
    showSettings(pageRequest, 'security', 'settings/authenticator-new', {
      title: message('authenticator.title'),
      app: { ...app, spaced: app.secret.replace(/(.{4})/g, '$1 ').trim() },
      ...variables,
    });

  kit.page(path, 'auth:web', show);

  kit.form(`${path}/authenticators`, 'auth:web', async (pageRequest) => {
    const response = await pageRequest.callAsUser<NewAuthenticator>('POST', '/v1/authenticators', {});
    return response.ok ? showApp(pageRequest, response.data) : showProblem(pageRequest, response);
  });

  kit.form(`${path}/authenticators/:id/confirm`, 'auth:web', async (pageRequest) => {
    const form = pageRequest.form('code', 'secret');
    const id = pageRequest.param('id');
    const confirmation = `/v1/authenticators/${encodeURIComponent(id)}/confirmations`;
    const body = { code: form.code };
    const response = await pageRequest.callAsUser<{ recovery_codes: string[] }>('POST', confirmation, body);
    if (response.ok) return showCodes(pageRequest, response.data.recovery_codes);
    if (!response.errors.code) return showProblem(pageRequest, response);
    const user = await findUser(kit.database.db, userIdOf(pageRequest.caller));
    const app = { id, ...setUpOf(kit.config, user, form.secret) };
    return showApp(pageRequest.status(422), app, { errors: { code: message('login_step.wrong') } });
  });

  for (const kind of ['authenticators', 'passkeys', 'browsers'])
    serveRemoval(kit, `${path}/${kind}/:id/remove`, kind, `${path}?done=factor-removed`);

  kit.form(`${path}/passkeys`, 'auth:web', async (pageRequest) => {
    const { passkey, name } = pageRequest.form('passkey', 'name');
    const browser = describeUserAgent(pageRequest.request.headers['user-agent'] ?? null);
    const body = { passkey: tryParseJson(passkey) ?? {}, name: (name || browser).slice(0, 100) };
    const response = await pageRequest.callAsUser<{ recovery_codes?: string[] }>('POST', '/v1/passkeys', body);
    if (!response.ok) return show(pageRequest.status(response.status), { problem: message('passkey.failed') });
    const codes = response.data.recovery_codes;
    return codes ? showCodes(pageRequest, codes) : pageRequest.redirect(`${path}?done=factor-added`);
  });

  kit.form(`${path}/passkeys/:id/rename`, 'auth:web', async (pageRequest) => {
    const { name } = pageRequest.form('name');
    const id = pageRequest.param('id');
    const response = await pageRequest.callAsUser('PATCH', `/v1/passkeys/${encodeURIComponent(id)}`, { name });
    return response.ok ? pageRequest.redirect(`${path}?done=profile-saved`) : showProblem(pageRequest, response);
  });

  kit.form(`${path}/recovery-codes`, 'auth:web', async (pageRequest) => {
    const response = await pageRequest.callAsUser<{ recovery_codes: string[] }>('POST', '/v1/recovery-codes', {});
    return response.ok ? showCodes(pageRequest, response.data.recovery_codes) : showProblem(pageRequest, response);
  });

  kit.form(`${path}/later`, 'auth:web', postponeOffer);
}

/** All variables of the page. */
async function securityOf(pageRequest: PageRequest): Promise<Variables> {
  const { db } = pageRequest.kit.database;
  const userId = userIdOf(pageRequest.caller);
  const user = await findUser(db, userId);
  if (!user) throw notFound();
  const [apps, passkeys, browsers, { left }, options, handle] = await Promise.all([
    requireOk(pageRequest.callAsUser<{ confirmed: boolean }[]>('GET', '/v1/authenticators?limit=100')),
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

/** The time after a password login in which the browser may create a passkey automatically. */
const maxLoginAgeMs = 120_000;

/**
 * Offers a second factor to users without one, unless they postponed it. Directly after a password login, the browser may create a passkey.
 */
export async function offerFactor(pageRequest: PageRequest): Promise<Variables> {
  const { caller } = pageRequest.request;
  const { db } = pageRequest.kit.database;
  const user = pageRequest.kit.config.mfa === 'off' ? undefined : await findUser(db, userIdOf(caller));
  const factors = user && (await findHeldFactors(db, user.id));
  if (!user || !factors || hasSecondFactor(factors)) return {};
  const { time, amr } = caller.proof;
  const byPassword =
    amr.length === 1 && amr[0] === 'pwd' && time !== null && pageRequest.kit.now() - time < maxLoginAgeMs;
  const automatic = byPassword && factors.automaticPasskeys === 0;
  return {
    offer: pageRequest.kit.cookies.read(pageRequest.request).later === undefined,
    automatic: automatic ? JSON.stringify(await creationOptions(pageRequest.kit.oauth, user, 'automatic')) : undefined,
  };
}

/** Postpones the offer in this browser. */
function postponeOffer(pageRequest: PageRequest): Promise<FastifyReply> {
  pageRequest.kit.cookies.setFactorOfferPostponed(pageRequest.reply);
  return pageRequest.redirect('/settings');
}
