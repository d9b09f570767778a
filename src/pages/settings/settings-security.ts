import { message } from '../../config/languages/message.ts';
import { describeUserAgent, localizeUserAgent } from '../../http/user-agent.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import { setUpOf } from '../../identity/factors/authenticators-resource.ts';
import { findPasskeys, passkeyHandle } from '../../identity/factors/passkey-store.ts';
import { creationOptions, type PasskeyServices, relyingPartyId } from '../../identity/factors/passkeys.ts';
import { findBrowsers } from '../../identity/factors/remembered-browser-store.ts';
import { userIdOf } from '../../platform/caller.ts';
import { notFound } from '../../platform/errors.ts';
import type { Variables } from '../kit/views.ts';
import type { PageKit, Visit } from '../kit/visit.ts';
import { postponeOffer } from './offer-factor.ts';
import { callApiAsUser, formErrors, ignoreNotFound, requireOk, showSettings } from './settings-shell.ts';

interface Authenticator {
  readonly id: string;
  readonly name: string;
  readonly confirmed: boolean;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

interface NewAuthenticator {
  readonly id: string;
  readonly secret: string;
  readonly uri: string;
  readonly qr: string;
}

const path = '/settings/security';

/** Passkeys, authenticator apps, recovery codes and remembered browsers of the signed-in user. */
export function serveSecurity(kit: PageKit, services: PasskeyServices): void {
  const show = async (visit: Visit, variables: Variables = {}) =>
    showSettings(visit, 'security', 'settings/security', {
      title: message('security.title'),
      ...(await securityOf(visit, services)),
      ...variables,
    });
  const showCodes = (visit: Visit, codes: readonly string[]) =>
    showSettings(visit, 'security', 'settings/recovery-codes', {
      title: message('recovery.title'),
      codes,
      file: `data:text/plain;charset=utf-8,${encodeURIComponent(`${kit.brand.name}\n${codes.join('\n')}\n`)}`,
    });
  const showApp = (visit: Visit, app: NewAuthenticator, variables: Variables = {}) =>
    showSettings(visit, 'security', 'settings/authenticator-new', {
      title: message('authenticator.title'),
      app: { ...app, spaced: app.secret.replace(/(.{4})/g, '$1 ').trim() },
      ...variables,
    });

  kit.page(path, 'auth:web', show);

  kit.form(`${path}/authenticators`, 'auth:web', async (visit) => {
    const answer = await callApiAsUser<NewAuthenticator>(visit, 'POST', '/v1/authenticators', {});
    return answer.ok ? showApp(visit, answer.data) : show(visit.status(answer.status), formErrors(answer, []));
  });

  kit.form(`${path}/authenticators/:id/confirm`, 'auth:web', async (visit) => {
    const form = visit.form('code', 'secret');
    const id = visit.param('id');
    const confirmation = `/v1/authenticators/${encodeURIComponent(id)}/confirmations`;
    const body = { code: form.code };
    const answer = await callApiAsUser<{ recovery_codes: string[] }>(visit, 'POST', confirmation, body);
    if (answer.ok) return showCodes(visit, answer.data.recovery_codes);
    if (!answer.errors.code) return show(visit.status(answer.status), formErrors(answer, []));
    const user = await findUser(kit.database.db, userIdOf(visit.caller));
    const app = { id, ...setUpOf(kit.config, user, form.secret) };
    return showApp(visit.status(422), app, { errors: { code: message('login_step.wrong') } });
  });

  const removal = (kind: string) =>
    kit.form(`${path}/${kind}/:id/remove`, 'auth:web', async (visit) => {
      const id = visit.param('id');
      await ignoreNotFound(callApiAsUser(visit, 'DELETE', `/v1/${kind}/${encodeURIComponent(id)}`));
      return visit.redirect(`${path}?done=factor-removed`);
    });
  for (const kind of ['authenticators', 'passkeys', 'browsers']) removal(kind);

  kit.form(`${path}/passkeys`, 'auth:web', async (visit) => {
    const { passkey, name } = visit.form('passkey', 'name');
    const browser = describeUserAgent(visit.request.headers['user-agent'] ?? null);
    const body = { passkey: jsonOf(passkey), name: (name || browser).slice(0, 100) };
    const answer = await callApiAsUser<{ recovery_codes?: string[] }>(visit, 'POST', '/v1/passkeys', body);
    if (!answer.ok) return show(visit.status(answer.status), { problem: message('passkey.failed') });
    const codes = answer.data.recovery_codes;
    return codes ? showCodes(visit, codes) : visit.redirect(`${path}?done=factor-added`);
  });

  kit.form(`${path}/passkeys/:id/rename`, 'auth:web', async (visit) => {
    const { name } = visit.form('name');
    const id = visit.param('id');
    const answer = await callApiAsUser(visit, 'PATCH', `/v1/passkeys/${encodeURIComponent(id)}`, { name });
    return answer.ok
      ? visit.redirect(`${path}?done=profile-saved`)
      : show(visit.status(answer.status), formErrors(answer, []));
  });

  kit.form(`${path}/recovery-codes`, 'auth:web', async (visit) => {
    const answer = await callApiAsUser<{ recovery_codes: string[] }>(visit, 'POST', '/v1/recovery-codes', {});
    return answer.ok
      ? showCodes(visit, answer.data.recovery_codes)
      : show(visit.status(answer.status), formErrors(answer, []));
  });

  kit.form(`${path}/later`, 'auth:web', postponeOffer);
}

/** A JSON value that a script put into the form. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}

/** All variables of the page. */
async function securityOf(visit: Visit, services: PasskeyServices): Promise<Variables> {
  const { db } = visit.kit.database;
  const userId = userIdOf(visit.caller);
  const user = await findUser(db, userId);
  if (!user) throw notFound();
  const [apps, passkeys, browsers, { left }, options, handle] = await Promise.all([
    requireOk(callApiAsUser<Authenticator[]>(visit, 'GET', '/v1/authenticators?limit=100')),
    findPasskeys(db, userId),
    findBrowsers(db, userId, visit.kit.now()),
    requireOk(callApiAsUser<{ left: number }>(visit, 'GET', '/v1/recovery-codes')),
    creationOptions(services, user, 'create'),
    passkeyHandle(db, userId),
  ]);
  const accepted = {
    rpId: relyingPartyId(visit.kit.config),
    userId: handle,
    allAcceptedCredentialIds: passkeys.map(({ credential_id }) => credential_id),
  };
  const confirmed = apps.filter((app) => app.confirmed);
  const shownTime = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    mfa_on: visit.kit.config.mfa !== 'off',
    must: !visit.caller.scopes.includes('*'),
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
