import { OperatorError } from '../../platform/errors.ts';
import { isIsoDate } from '../../platform/is-iso-date.ts';
import { isOneOf } from '../../platform/is-one-of.ts';
import { flag, folder } from './setting.ts';

export const providerSettings = {
  providersDir: folder('./providers').describe('the folder with the identity providers that users can sign in with'),
  localPasswords: flag(true).describe(
    'whether users can sign in with a password. off: they sign in with an identity provider or a passkey',
  ),
} as const;

/** The settings of one built-in provider, such as PROVIDER_GOOGLE_ID and PROVIDER_GOOGLE_SECRET. */
export interface ProviderSettings {
  readonly name: string;
  readonly id: string;
  readonly secret: string;
  /** A day, such as 2027-01-31. */
  readonly secretExpires?: string | undefined;
  /** Microsoft: the tenant whose accounts are accepted. */
  readonly tenant?: string | undefined;
  /** GitLab: the address of a self-managed instance. */
  readonly issuer?: string | undefined;
}

type Part = 'id' | 'secret' | 'secret_expires' | 'tenant' | 'issuer';
type Parts = Map<string, Partial<Record<Part, string>>>;

/** The built-in providers. A file in PROVIDERS_DIR declares any other. */
const builtinProviderNames = ['google', 'microsoft', 'apple', 'github', 'gitlab', 'facebook', 'discord'] as const;

const optionalParts = new Map<Part, string>([
  ['tenant', 'microsoft'],
  ['issuer', 'gitlab'],
]);

/** Reads PROVIDER_<NAME>_ID, …_SECRET, …_SECRET_EXPIRES, …_TENANT and …_ISSUER. The order of the settings is the order of the buttons. */
export function readProviderSetting(setting: string, value: unknown, providers: Parts): void {
  const match = /^PROVIDER_([A-Z]+)_(ID|SECRET|SECRET_EXPIRES|TENANT|ISSUER)$/.exec(setting);
  const name = match?.[1]?.toLowerCase() ?? '';
  const part = match?.[2]?.toLowerCase() as Part;
  const onlyProvider = optionalParts.get(part);
  if (!isOneOf(builtinProviderNames, name) || (onlyProvider !== undefined && onlyProvider !== name)) {
    throw new OperatorError(
      `${setting} is not a setting. A built-in provider is PROVIDER_<NAME>_ID and …_SECRET, with one of the names ${builtinProviderNames.join(', ').toUpperCase()}. Declare any other provider in a file in PROVIDERS_DIR.`,
    );
  }
  if (value === undefined || value === '') return;
  if (typeof value !== 'string') throw new OperatorError(`${setting}: got a value that is not text; expected text.`);
  providers.set(name, { ...providers.get(name), [part]: value });
}

export const completeProviders = (providers: Parts): readonly ProviderSettings[] =>
  Object.freeze([...providers].map(([name, parts]) => completeProvider(name, parts)));

const checks: readonly [Part, accepts: (value: string) => boolean, expected: string][] = [
  ['secret_expires', isIsoDate, 'a day such as 2027-01-31'],
  ['tenant', (id) => /^[\w.-]{1,100}$/.test(id), 'a tenant id, a domain, common, organizations or consumers'],
  ['issuer', URL.canParse, 'a URL such as https://gitlab.example.com'],
];

function completeProvider(name: string, parts: Partial<Record<Part, string>>): ProviderSettings {
  const { id, secret, secret_expires: secretExpires, tenant, issuer } = parts;
  const prefix = `PROVIDER_${name.toUpperCase()}`;
  if (id === undefined || secret === undefined) {
    const missing = id === undefined ? 'ID' : 'SECRET';
    throw new OperatorError(
      `${prefix}_${missing} is missing: got nothing; expected text. A provider needs both ${prefix}_ID and ${prefix}_SECRET.`,
    );
  }
  for (const [part, accepts, expected] of checks) {
    const value = parts[part];
    if (value !== undefined && !accepts(value))
      throw new OperatorError(`${prefix}_${part.toUpperCase()}: got "${value}"; expected ${expected}.`);
  }
  return Object.freeze({ name, id, secret, secretExpires, tenant, issuer });
}
