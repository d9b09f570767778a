import type { Config } from '../../../src/config/config.ts';
import { modulesIn } from '../../../src/config/import-file.ts';
import { isLoopbackHost } from '../../../src/http/network-of.ts';
import { OperatorError } from '../../../src/platform/errors.ts';
import { isIsoDate } from '../../../src/platform/is-iso-date.ts';
import { checkOptions, importChecked } from '../../../src/resources/declaration/check-options.ts';
import {
  callback,
  flag,
  members,
  type OptionKind,
  type OptionKinds,
  oneOfValues,
  textOption,
  texts,
} from '../../../src/resources/declaration/option-kind.ts';
import { builtinProvider } from './builtin-providers.ts';
import type { ProviderDefinition } from './define-provider.ts';

/** https, or http on loopback. */
const address: OptionKind = {
  expected: 'an https URL, or an http URL on loopback',
  accepts(value) {
    const url = typeof value === 'string' ? URL.parse(value) : null;
    if (url?.username !== '' || url.password !== '' || url.hash !== '') return false;
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
  },
};

const secret: OptionKind = {
  expected: 'a text, or a function that returns one',
  accepts: (value) => textOption.accepts(value) || callback.accepts(value),
};

const day: OptionKind = {
  expected: 'a day such as 2027-01-31',
  accepts: (value) => typeof value === 'string' && isIsoDate(value),
};

const options: OptionKinds<ProviderDefinition> = {
  name: textOption,
  label: textOption,
  issuer: address,
  clientId: textOption,
  clientSecret: secret,
  clientSecretExpires: day,
  scopes: texts,
  email: oneOfValues('verified', 'never'),
  emailVerified: callback,
  enabled: flag,
  responseMode: oneOfValues('query', 'form_post'),
  parameters: members("{ hd: 'example.com' }"),
  prompts: texts,
  acr: members("{ 'urn:example:mfa': 2 }"),
  map: callback,
  logout: flag,
  authorizationEndpoint: address,
  tokenEndpoint: address,
  profile: callback,
};

/** The files in PROVIDERS_DIR in the order of their names, then the built-in providers in the order of their settings. */
export async function loadProviders({
  providersDir,
  builtinProviders,
}: Pick<Config, 'providersDir' | 'builtinProviders'>): Promise<ProviderDefinition[]> {
  const providers: ProviderDefinition[] = [];
  for (const file of modulesIn(providersDir)) {
    const isTaken = (name: string) => providers.some((each) => each.name === name);
    providers.push(
      await importChecked(file, example, (provider, mistakes) => checkProvider(provider, isTaken, mistakes)),
    );
  }
  for (const settings of builtinProviders) {
    if (providers.some((each) => each.name === settings.name)) {
      throw new OperatorError(
        `PROVIDER_${settings.name.toUpperCase()}_ID: a file in PROVIDERS_DIR declares a provider of this name too. Remove one of them.`,
      );
    }
    providers.push(builtinProvider(settings));
  }
  return providers;
}

const example = 'defineProvider({ name, issuer, clientId, clientSecret })';

function checkProvider(
  provider: Partial<Record<keyof ProviderDefinition, unknown>>,
  isTaken: (name: string) => boolean,
  mistakes: string[],
): void {
  const report = (where: string, what: string) => {
    // A message must not show a secret.
    const expected = where === 'clientSecret' ? `expected ${secret.expected}.` : what;
    mistakes.push(`${where}: ${expected}`);
  };
  checkOptions('', provider, options, report);
  const { name, issuer, clientId, clientSecret, acr, authorizationEndpoint, tokenEndpoint, profile } = provider;
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,39}$/.test(name)) {
    mistakes.push('name: expected lowercase letters, digits and dashes, at most 40, such as "acme".');
  } else if (isTaken(name)) mistakes.push(`name: another provider is named "${name}"; choose another name.`);
  if (issuer === undefined) mistakes.push('issuer is missing: the address of the provider.');
  if (!clientId) mistakes.push('clientId is missing or empty: the client id of this service at the provider.');
  if (clientSecret === '') {
    mistakes.push(
      'clientSecret is empty. If it comes from an environment variable, set that variable (Gatehouse reads only its own settings from .env). For a public client, omit clientSecret.',
    );
  }
  for (const [value, factors] of Object.entries(acr ?? {})) {
    if (factors !== 1 && factors !== 2) mistakes.push(`acr.${value}: expected 1 or 2, the number of factors.`);
  }
  const plain = [authorizationEndpoint, tokenEndpoint, profile].filter((each) => each !== undefined).length;
  if (plain > 0 && plain < 3) {
    mistakes.push('authorizationEndpoint, tokenEndpoint and profile belong together: set all three, or none.');
  }
}
