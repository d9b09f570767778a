import pino from 'pino';
import type { Config } from '../../src/config/config.ts';
import { errorFinding, explain, type Finding, notice, ok } from '../../src/main/finding.ts';
import { redactSecrets } from '../../src/platform/log.ts';
import { clockTolerance, type ProviderClient } from './client/provider-client.ts';
import { describeFailure } from './client/provider-failure.ts';
import { Providers } from './client/providers.ts';
import type { ProviderDefinition } from './declaration/define-provider.ts';
import { callbackOf } from './sign-in/begin-attempt.ts';
import { secretExpiry } from './sync-providers.ts';

const part = 'providers';
const machineClock = Date.now;
const soonMs = 30 * 86_400_000;

/** Whether each identity provider responds, and the redirect URI to register there. */
export async function checkProviders(config: Config): Promise<Finding[]> {
  let providers: Providers;
  try {
    providers = await Providers.load({ config, log: pino({ level: 'silent' }), now: machineClock });
  } catch (error) {
    return [errorFinding(part, explain(error), 'Correct the declaration named in the message.')];
  }
  const all = await providers.list();
  if (all.length === 0 && !config.localPasswords) {
    const summary = 'LOCAL_PASSWORDS=off, and there is no provider: only people with a passkey can sign in';
    return [errorFinding(part, summary, 'Declare a provider in PROVIDERS_DIR, or unset LOCAL_PASSWORDS.')];
  }
  const findings = await Promise.all(all.map((provider) => checkProvider(config, provider)));
  return [...findings, ...checkProviderSecrets(await providers.definitions(), machineClock())];
}

async function checkProvider(config: Config, provider: ProviderClient): Promise<Finding> {
  const { name } = provider.definition;
  const uri = callbackOf(config, name);
  try {
    const ahead = (await provider.check()) ?? 0;
    if (Math.abs(ahead) <= clockTolerance * 1000) return ok(part, `${name} responds; its redirect URI is ${uri}`);
    const values = { name, seconds: Math.round(Math.abs(ahead) / 1000) };
    const fix = 'Synchronize this machine with a time server (systemd-timesyncd, chrony). Sign-ins fail until then.';
    return notice(part, 'the clocks of {name} and this machine are {seconds} s apart', fix, values);
  } catch (error) {
    const values = { name, why: redactSecrets(describeFailure(error).detail), uri };
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
