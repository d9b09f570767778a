import type { KnownScopes } from '../../../src/oauth/clients/scopes/scopes.ts';
import { OperatorError } from '../../../src/platform/errors.ts';
import type { ScopeMap } from '../legacy-tokens/scope-map.ts';
import { readJsonObject, readScopes } from './read-scope-file.ts';

/** The content of the `--map` file. */
export interface ImportMap {
  /** The target field of a column of users: `phone`, or `profiles.birthday` of a declared resource. */
  readonly fields: ReadonlyMap<string, string>;
  /** The scopes for each permission of a role. Undefined: permissions are ignored. */
  readonly permissions: ScopeMap | undefined;
}

const userFields = ['email', 'username', 'phone', 'name', 'locale'];
const isField = (name: string): boolean => userFields.includes(name) || /^[\w-]+\.\w+$/.test(name);

/** `{"fields": {"birthday": "profiles.birthday"}, "permissions": {"create-orders": "orders:write"}}` */
export function readMapFile(path: string | undefined, knownScopes: KnownScopes): ImportMap {
  if (path === undefined) return { fields: new Map(), permissions: undefined };
  const { fields = {}, permissions, ...unknownMembers } = readJsonObject('--map', path);
  const [unknown] = Object.keys(unknownMembers);
  if (unknown !== undefined) {
    throw new OperatorError(`--map: ${path} has "${unknown}". Expected "fields" and "permissions".`);
  }
  const pairs = Object.entries(fields ?? {});
  const invalid = pairs.find(([, field]) => typeof field !== 'string' || !isField(field));
  if (invalid) {
    throw new OperatorError(
      `--map: "${invalid[0]}" must become a field of users (${userFields.join(', ')}), or of a declared resource such as "profiles.birthday".`,
    );
  }
  return {
    fields: new Map(pairs),
    permissions:
      permissions === undefined ? undefined : readScopes('--map', Object.entries(permissions ?? {}), knownScopes),
  };
}
