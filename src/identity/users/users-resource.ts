import { Type } from 'typebox';
import { roleNames } from '../../config/config.ts';
import {
  anyOf,
  boolean,
  defineResource,
  hasMany,
  list,
  listsNames,
  owner,
  role,
  text,
  timestamp,
} from '../../resources/declare.ts';
import type { AccountServices } from '../accounts/account-services.ts';
import { usernameRule } from '../accounts/identifiers.ts';
import { defaultRealm } from '../accounts/user.ts';
import { maxNameLength, minPasswordLength } from '../accounts/user-fields.ts';
import type { FactorServices } from '../factors/factor-services.ts';
import { guardUserWrite, selfOrAdmin } from './guard-user.ts';
import { prepareDeletion, prepareUser } from './prepare-user.ts';
import { administerUser, emailChangeActions, userFactors } from './user-actions.ts';
import { afterUserWrite, endAccess } from './write-user.ts';

const identifier = { unique: true, searchable: true, sortable: true } as const;

const deletion = Type.Object(
  {
    current_password: Type.Optional(
      Type.String({
        description: 'Required if users delete themselves. Users without a password need a recent proof instead.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Users through the resource engine. Their special rules are in `prepare-user`, `guard-user` and `write-user`. */
export function usersResource(services: AccountServices, factors: FactorServices) {
  const { config } = services.context;
  return defineResource({
    name: 'users',
    description:
      'Administrators see all users. A user sees only their own account, and a personal client sees its owner. `me` instead of an id is the caller. ' +
      'If users change their own email, the change takes effect when they confirm it.',
    managed: false,
    fields: {
      email: text({ ...identifier, max: 254, folded: 'lower', example: 'ada@example.com' }),
      username: text({
        ...identifier,
        max: 32,
        folded: 'stored',
        description: `${usernameRule}.`,
        example: 'ada.lovelace',
      }),
      phone: text({
        ...identifier,
        max: 40,
        folded: 'stored',
        description: 'A number with its country code; stored as E.164.',
        example: '+12133734253',
      }),
      name: text({ max: maxNameLength, searchable: true, sortable: true, example: 'Ada Lovelace' }),
      password: text({
        virtual: true,
        writeOnly: true,
        required: true,
        min: minPasswordLength,
        max: 1024,
        description:
          'Users who change their own password must send current_password too. The change ends their other sessions.',
        example: 'correct horse battery staple',
      }),
      current_password: text({
        virtual: true,
        writeOnly: true,
        min: 0,
        max: 1024,
        description:
          'Required to change your own password, email, username or phone. Users without a password need a recent proof instead. Counts as a recent proof wherever one is required.',
      }),
      end_tokens: boolean({
        virtual: true,
        writeOnly: true,
        description:
          'Only together with a new password: also ends personal access tokens and the secrets of personal clients, and disables webhooks.',
      }),
      password_hash: text({ hidden: true, required: true, max: 1024 }),
      email_confirmed: boolean({ default: false, readOnly: true, searchable: true, sortable: true }),
      roles: list({ values: roleNames(config), default: [], searchable: true }),
      disabled: boolean({
        default: false,
        searchable: true,
        sortable: true,
        description:
          'Administrators only. A disabled user cannot log in, and the tokens and clients of the user stop working.',
      }),
      locale: text({
        max: 35,
        description:
          'The language that the user has chosen for pages and mail (BCP 47); null: the language of the browser.',
        example: 'de',
      }),
      realm: text({
        max: 64,
        required: true,
        readOnly: true,
        default: defaultRealm,
        searchable: true,
        sortable: true,
        description:
          'The group of users that the user belongs to. A client with a realm signs in only users of that realm. The Passport import sets it.',
        example: 'users',
      }),
      created_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
      updated_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
    },
    relations: {
      roles: listsNames('roles', { list: 'roles', key: 'name' }),
      clients: hasMany('clients', { by: 'user_id' }),
      tokens: hasMany('tokens', { by: 'user_id' }),
      identities: hasMany('identities', { by: 'user_id' }),
      consents: hasMany('consents', { by: 'user_id' }),
    },
    access: { read: anyOf(role('admin'), owner('id')), write: selfOrAdmin, create: role('admin') },
    changes: true,
    deleteBody: deletion,
    actions: [...emailChangeActions, ...administerUser(services), ...userFactors(factors)],
    alias: (name, caller) => (name === 'me' && caller.userId !== null ? caller.userId : undefined),
    hooks: {
      prepare: (call, { id, values }) => prepareUser(call, services, id, values),
      prepareDelete: (call, { id, body }) => prepareDeletion(call, id, body),
      async beforeWrite(call, { operation, values, before }) {
        await guardUserWrite(call, services, values, before, operation === 'delete');
        if (operation === 'delete' && before) await endAccess(call, services, before);
      },
      afterWrite: (call, { values, before, after }) => afterUserWrite(call, services, values, before, after),
    },
  });
}
