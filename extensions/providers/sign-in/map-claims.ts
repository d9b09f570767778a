import { roleNames } from '../../../src/config/config.ts';
import type { Context } from '../../../src/database/context.ts';
import { readLocale, readProfileField } from '../../../src/identity/accounts/user-fields.ts';
import { Problem, reasonOf } from '../../../src/platform/errors.ts';
import type { Upstream } from '../client/upstream.ts';
import type { MappedUser, ProviderDefinition } from '../declaration/define-provider.ts';

/** The checked result of the declaration's `map` function. */
export interface Mapped {
  readonly fields: Readonly<Partial<Record<'name' | 'username' | 'phone' | 'locale', string | null>>>;
  /** Undefined if the declaration does not map roles. */
  readonly roles: readonly string[] | undefined;
}

const names = ['name', 'username', 'phone'] as const;

const wrongMap = (provider: string, reason: string) =>
  new Problem(
    502,
    'Bad Gateway',
    'The response of this provider is not usable. Tell the people who run this service.',
    { code: 'provider_failed', reason: `the map function of the provider ${provider}: ${reason}` },
  );

/** Throws on an invalid value: this is an error in the declaration, and a partial result must not sign in a user. */
export function mapClaims({ config }: Pick<Context, 'config'>, { map }: ProviderDefinition, upstream: Upstream) {
  if (!map) return { fields: {}, roles: undefined };
  let mapped: MappedUser;
  try {
    mapped = map(upstream.claims) ?? {};
  } catch (error) {
    throw wrongMap(upstream.provider, `it throws ${reasonOf(error)}`);
  }
  const fields: Partial<Record<'name' | 'username' | 'phone' | 'locale', string | null>> = {};
  for (const field of names) {
    if (mapped[field] === undefined) continue;
    const read = readProfileField(field, mapped[field]);
    if (read.error) throw wrongMap(upstream.provider, read.error.message);
    fields[field] = read.value;
  }
  const locale = readLocale(mapped.locale);
  if (locale.error) throw wrongMap(upstream.provider, locale.error.message);
  if (locale.value !== undefined) fields.locale = locale.value;
  const declaredRoles = roleNames(config);
  const unknown = mapped.roles?.find((role) => !declaredRoles.includes(role));
  if (unknown !== undefined) throw wrongMap(upstream.provider, `"${unknown}" is not a role`);
  return { fields, roles: mapped.roles && [...new Set(mapped.roles)] };
}
