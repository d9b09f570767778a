import type { Config } from '../../config/config.ts';
import { computed, defineResource, namedBy, text } from '../../resources/declare.ts';

const description = 'What users with this role are limited to; null: no limit';

export const rolesResource = (config: Config) => {
  const scopes = computed(
    { as: 'list', from: ['name'], nullable: true, description },
    ({ name }) => scopesOfRole(config, name) ?? null,
  );
  return defineResource({
    name: 'roles',
    description: 'The roles that users can have. The setting ROLES lists them.',
    managed: false,
    idType: 'text',
    versioned: false,
    operations: ['list', 'find'],
    fields: {
      name: text({ column: 'id', required: true, readOnly: true, searchable: true, sortable: true, folded: 'stored' }),
      ...(Object.keys(config.roleScopes).length > 0 ? { scopes } : {}),
    },
    relations: { users: namedBy('users', { list: 'roles', key: 'name' }) },
    access: { read: 'auth:api', write: 'nobody' },
  });
};

/** The scopes that ROLE_SCOPES gives a role. Undefined: the role has no limit. */
export const scopesOfRole = ({ roleScopes }: Pick<Config, 'roleScopes'>, role: string) =>
  Object.hasOwn(roleScopes, role) ? roleScopes[role]?.split(' ').filter(Boolean) : undefined;
