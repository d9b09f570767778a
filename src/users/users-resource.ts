import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import {
  anyOf,
  boolean,
  defineResource,
  equals,
  hasMany,
  list,
  listsNames,
  owner,
  role,
  text,
  timestamp,
} from '../resources/declare.ts';
import type { AccountServices } from './account-services.ts';
import { usernameRule } from './identifiers.ts';
import { roleNames } from './roles-resource.ts';
import { longestName, shortestPassword } from './user-fields.ts';
import { followUserWrite, guardUserWrite, isSelf, prepareUser, tellOfClients } from './write-user.ts';

/** A personal client may look at its owner, but changes nothing about it. */
const self = (caller: Caller) => caller.userId !== null && isSelf(caller, caller.userId) && equals('id', caller.userId);

/** Users through the resource engine. What is special about them is in `write-user.ts`. */
export const usersResource = ({ config }: Context, services: AccountServices) =>
  defineResource({
    name: 'users',
    description:
      'An administrator sees all users, a user itself, a personal client its owner. `me` in place of an id is the caller.',
    managed: false,
    fields: {
      email: text({
        max: 254,
        unique: true,
        searchable: true,
        sortable: true,
        folded: 'stored',
        example: 'ada@example.com',
      }),
      username: text({
        max: 32,
        unique: true,
        searchable: true,
        sortable: true,
        folded: 'stored',
        description: `${usernameRule}.`,
        example: 'ada.lovelace',
      }),
      phone: text({
        max: 40,
        unique: true,
        searchable: true,
        sortable: true,
        folded: 'stored',
        description: 'With its country code; stored as E.164.',
        example: '+12133734253',
      }),
      name: text({ max: longestName, searchable: true, sortable: true, example: 'Ada Lovelace' }),
      password: text({
        virtual: true,
        writeOnly: true,
        required: true,
        min: shortestPassword,
        max: 1024,
        description: 'Changing the own one takes current_password too, and ends the other sessions.',
        example: 'correct horse battery staple',
      }),
      current_password: text({ virtual: true, writeOnly: true, min: 0, max: 1024 }),
      password_hash: text({ hidden: true, required: true, max: 1024 }),
      email_confirmed: boolean({ default: false, readOnly: true, searchable: true, sortable: true }),
      roles: list({ values: roleNames(config), default: [], searchable: true }),
      created_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
      updated_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
    },
    relations: {
      roles: listsNames('roles', { list: 'roles', key: 'name' }),
      clients: hasMany('clients', { by: 'user_id' }),
      tokens: hasMany('tokens', { by: 'user_id' }),
    },
    access: {
      read: anyOf(role('admin'), owner('id')),
      write: anyOf(role('admin'), self),
      create: role('admin'),
    },
    alias: (name, caller) => (name === 'me' && caller.userId !== null ? caller.userId : undefined),
    hooks: {
      prepare: (call, { id, values }) => prepareUser(call, services, id, values),
      async beforeWrite(call, { operation, values, before }) {
        await guardUserWrite(call, values, before, operation === 'delete');
        if (operation === 'delete' && before) await tellOfClients(call, before);
      },
      afterWrite: (call, { values, before, after }) => followUserWrite(call, services, values, before, after),
    },
  });
