import pino from 'pino';
import type { Config } from '../../config/config.ts';
import type { Db } from '../../database/database.ts';
import { callbackOf } from '../../identity/providers/begin-attempt.ts';
import type { ProviderDefinition } from '../../identity/providers/define-provider.ts';
import { type FailureCode, failureMeanings } from '../../identity/providers/failure-meanings.ts';
import { clockTolerance, type ProviderClient } from '../../identity/providers/provider-client.ts';
import { findProviders } from '../../identity/providers/provider-store.ts';
import { Providers } from '../../identity/providers/providers.ts';
import { secretExpiry } from '../../identity/providers/sync-providers.ts';
import { errorFinding, explain, type Finding, notice, ok } from './finding.ts';

const part = 'providers';
const machineClock = Date.now;
const soonMs = 30 * 86_400_000;

/** Whether each identity provider responds, and the redirect URI to register there. */
export async function checkProviders(config: Config): Promise<Finding[]> {
  let providers: Providers;
  try {
    providers = await Providers.load({ config, log: pino({ level: 'silent' }), now: machineClock });
  } catch (error) {
    return [errorFinding(part, explain(error), 'Correct the declaration that is named.')];
  }
  const all = await providers.list();
  if (all.length === 0 && !config.localPasswords) {
    const summary = 'LOCAL_PASSWORDS=off, and there is no provider: only people with a passkey can sign in';
    return [errorFinding(part, summary, 'Declare a provider in PROVIDERS_DIR, or unset LOCAL_PASSWORDS.')];
  }
  const looked = await Promise.all(all.map((provider) => checkProvider(config, provider)));
  return [...looked, ...checkProviderSecrets(await providers.definitions(), machineClock())];
}

async function checkProvider(config: Config, provider: ProviderClient): Promise<Finding> {
  const { name } = provider.definition;
  const uri = callbackOf(config, name);
  try {
    const ahead = (await provider.check()) ?? 0;
    if (Math.abs(ahead) <= clockTolerance * 1000) return ok(part, `${name} responds; its redirect URI is ${uri}`);
    const values = { name, seconds: Math.round(Math.abs(ahead) / 1000) };
    const fix = 'Let this machine follow a time server (systemd-timesyncd, chrony). Sign-ins fail until then.';
    return notice(part, 'the clocks of {name} and this machine are {seconds} s apart', fix, values);
  } catch (error) {
    const values = { name, why: explain(error), uri };
    const fix = 'Check its issuer and the network. The redirect URI to register there is {uri}.';
    return notice(part, '{name} does not respond: {why}', fix, values);
  }
}

/** Client secrets that have expired or expire soon. Secrets of Entra last at most two years. */
export function checkProviderSecrets(definitions: readonly ProviderDefinition[], now: number): Finding[] {
  return definitions.flatMap((definition) => {
    const expires = secretExpiry(definition);
    if (expires === null || definition.enabled === false || expires - now > soonMs) return [];
    const values = { name: definition.name, day: new Date(expires).toISOString().slice(0, 10) };
    const fix = 'Make a new secret at the provider and set it here.';
    return expires <= now
      ? [errorFinding(part, 'the secret of {name} expired on {day}', fix, values)]
      : [notice(part, 'the secret of {name} expires on {day}', fix, values)];
  });
}

export async function checkProviderFailures(db: Db): Promise<Finding[]> {
  const rows = await findProviders(db);
  return rows.flatMap(({ id: name, last_success_at, last_failure_at, failure, failure_detail }) => {
    // In one sign-in, a failure can follow the success in the same millisecond.
    if (last_failure_at === null || (last_success_at ?? 0) > last_failure_at) return [];
    const meaning = failureMeanings[(failure ?? 'other') as FailureCode];
    const values = { name, at: new Date(last_failure_at).toISOString(), why: failure_detail ?? '' };
    return [notice(part, 'the last sign-in with {name}, at {at}, failed: {why}', meaning, values)];
  });
}
