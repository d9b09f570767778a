import type { Config } from '../../config/config.ts';
import { defineResource, namedBy, text } from '../../resources/declare.ts';

/** The roles that a user can have. `admin` is there whatever the setting says. */
export const roleNames = ({ roles }: Config): string[] => [...new Set(['admin', ...roles])];

export const rolesResource = defineResource({
  name: 'roles',
  description: 'What users can be. The setting ROLES names them.',
  managed: false,
  idType: 'text',
  versioned: false,
  operations: ['list', 'find'],
  fields: {
    name: text({ column: 'id', required: true, readOnly: true, searchable: true, sortable: true, folded: 'stored' }),
  },
  relations: { users: namedBy('users', { list: 'roles', key: 'name' }) },
  access: { read: 'auth:api', write: 'nobody' },
});
