import type { FastifyReply, FastifyRequest } from 'fastify';
import { message } from '../../config/languages/message.ts';
import { describeUserAgent, sayUserAgent } from '../../http/user-agent.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import { setUpOf } from '../../identity/factors/authenticators-resource.ts';
import { findPasskeys, passkeyHandle } from '../../identity/factors/passkey-store.ts';
import { creationOptions, type PasskeyMeans, relyingPartyId } from '../../identity/factors/passkeys.ts';
import { findBrowsers } from '../../identity/factors/remembered-browser-store.ts';
import { userIdOf } from '../../platform/caller.ts';
import { notFound } from '../../platform/errors.ts';
import { type PageKit, readForm } from '../kit/page-kit.ts';
import type { Variables } from '../kit/views.ts';
import { postponeOffer } from './offer-factor.ts';
import { asPerson, ignoreNotFound, refusal, showSettings, wanted } from './settings-shell.ts';

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

/** Passkeys, authenticator apps, recovery codes and remembered browsers of the person who is signed in. */
export function serveSecurity(kit: PageKit, means: PasskeyMeans): void {
  const show = async (request: FastifyRequest, reply: FastifyReply, variables: Variables = {}) =>
    showSettings(kit, request, reply, 'security', 'settings/security', {
      title: message('security.title'),
      ...(await securityOf(kit, means, request)),
      ...variables,
    });
  const showCodes = (request: FastifyRequest, reply: FastifyReply, codes: readonly string[]) =>
    showSettings(kit, request, reply, 'security', 'settings/recovery-codes', {
      title: message('recovery.title'),
      codes,
      file: `data:text/plain;charset=utf-8,${encodeURIComponent(`${kit.brand.name}\n${codes.join('\n')}\n`)}`,
    });
  const showApp = (request: FastifyRequest, reply: FastifyReply, app: NewAuthenticator, variables: Variables = {}) =>
    showSettings(kit, request, reply, 'security', 'settings/authenticator-new', {
      title: message('authenticator.title'),
      app: { ...app, spaced: app.secret.replace(/(.{4})/g, '$1 ').trim() },
      ...variables,
    });

  kit.page(path, 'auth:web', (request, reply) => show(request, reply));

  kit.form(`${path}/authenticators`, 'auth:web', async (request, reply) => {
    const answer = await asPerson<NewAuthenticator>(request, 'POST', '/v1/authenticators', {});
    return answer.ok
      ? showApp(request, reply, answer.data)
      : show(request, reply.code(answer.status), refusal(answer, []));
  });

  kit.form(`${path}/authenticators/:id/confirm`, 'auth:web', async (request, reply) => {
    const form = readForm(request, 'code', 'secret');
    const { id } = request.params as { id: string };
    const confirmation = `/v1/authenticators/${encodeURIComponent(id)}/confirmations`;
    const body = { code: form.code };
    const answer = await asPerson<{ recovery_codes: string[] }>(request, 'POST', confirmation, body);
    if (answer.ok) return showCodes(request, reply, answer.data.recovery_codes);
    if (!answer.errors.code) return show(request, reply.code(answer.status), refusal(answer, []));
    const user = await findUser(kit.database.db, userIdOf(request.caller));
    const app = { id, ...setUpOf(kit.config, user, form.secret) };
    return showApp(request, reply.code(422), app, { errors: { code: message('login_step.wrong') } });
  });

  const removal = (kind: string) =>
    kit.form(`${path}/${kind}/:id/remove`, 'auth:web', async (request, reply) => {
      const { id } = request.params as { id: string };
      await ignoreNotFound(asPerson(request, 'DELETE', `/v1/${kind}/${encodeURIComponent(id)}`));
      return kit.go(reply, `${path}?done=factor-removed`);
    });
  for (const kind of ['authenticators', 'passkeys', 'browsers']) removal(kind);

  kit.form(`${path}/passkeys`, 'auth:web', async (request, reply) => {
    const { passkey, name } = readForm(request, 'passkey', 'name');
    const browser = describeUserAgent(request.headers['user-agent'] ?? null);
    const body = { passkey: jsonOf(passkey), name: (name || browser).slice(0, 100) };
    const answer = await asPerson<{ recovery_codes?: string[] }>(request, 'POST', '/v1/passkeys', body);
    if (!answer.ok) return show(request, reply.code(answer.status), { problem: message('passkey.failed') });
    const codes = answer.data.recovery_codes;
    return codes ? showCodes(request, reply, codes) : kit.go(reply, `${path}?done=factor-added`);
  });

  kit.form(`${path}/passkeys/:id/rename`, 'auth:web', async (request, reply) => {
    const { name } = readForm(request, 'name');
    const { id } = request.params as { id: string };
    const answer = await asPerson(request, 'PATCH', `/v1/passkeys/${encodeURIComponent(id)}`, { name });
    return answer.ok
      ? kit.go(reply, `${path}?done=profile-saved`)
      : show(request, reply.code(answer.status), refusal(answer, []));
  });

  kit.form(`${path}/recovery-codes`, 'auth:web', async (request, reply) => {
    const answer = await asPerson<{ recovery_codes: string[] }>(request, 'POST', '/v1/recovery-codes', {});
    return answer.ok
      ? showCodes(request, reply, answer.data.recovery_codes)
      : show(request, reply.code(answer.status), refusal(answer, []));
  });

  kit.form(`${path}/later`, 'auth:web', (_request, reply) => postponeOffer(kit, reply));
}

/** The value that a script put into the form. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}

/** All that the page shows. */
async function securityOf(kit: PageKit, means: PasskeyMeans, request: FastifyRequest): Promise<Variables> {
  const { db } = kit.database;
  const userId = userIdOf(request.caller);
  const user = await findUser(db, userId);
  if (!user) throw notFound();
  const [apps, passkeys, browsers, { left }, options, handle] = await Promise.all([
    wanted(asPerson<Authenticator[]>(request, 'GET', '/v1/authenticators?limit=100')),
    findPasskeys(db, userId),
    findBrowsers(db, userId, kit.now()),
    wanted(asPerson<{ left: number }>(request, 'GET', '/v1/recovery-codes')),
    creationOptions(means, user, 'create'),
    passkeyHandle(db, userId),
  ]);
  const accepted = {
    rpId: relyingPartyId(kit.config),
    userId: handle,
    allAcceptedCredentialIds: passkeys.map(({ credential_id }) => credential_id),
  };
  const confirmed = apps.filter((app) => app.confirmed);
  const shownTime = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    mfa_on: kit.config.mfa !== 'off',
    must: !request.caller.scopes.includes('*'),
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
      browser: sayUserAgent(describeUserAgent(user_agent)),
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
