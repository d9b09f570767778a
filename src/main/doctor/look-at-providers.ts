import pino from 'pino';
import type { Config } from '../../config/config.ts';
import { callbackOf } from '../../identity/providers/begin-attempt.ts';
import { Providers } from '../../identity/providers/providers.ts';
import { explain } from './explain.ts';
import { type Finding, notice, ok, wrong } from './finding.ts';

/** Whether each identity provider answers, and what has to be registered there. */
export async function lookAtProviders(config: Config): Promise<Finding[]> {
  const part = 'providers';
  let providers: Providers;
  try {
    providers = await Providers.load({ config, log: pino({ level: 'silent' }), now: Date.now });
  } catch (error) {
    return [wrong(part, explain(error), 'Correct the declaration that is named.')];
  }
  const all = await providers.list();
  if (all.length === 0 && !config.localPasswords) {
    const what = 'LOCAL_PASSWORDS=off, and there is no provider: only people with a passkey can sign in';
    return [wrong(part, what, 'Declare a provider in PROVIDERS_DIR, or unset LOCAL_PASSWORDS.')];
  }
  return Promise.all(
    all.map(async (provider) => {
      const { name } = provider.definition;
      const uri = callbackOf(config, name);
      try {
        await provider.check();
        return ok(part, `${name} answers; its redirect URI is ${uri}`);
      } catch (error) {
        const values = { name, why: explain(error), uri };
        const mend = 'Check its issuer and the network. The redirect URI to register there is {uri}.';
        return notice(part, '{name} does not answer: {why}', mend, values);
      }
    }),
  );
}
