import { Type } from 'typebox';
import { rolesOf, type UserRow } from './user-store.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);

/** A user as the API shows it. Never a password or its hash. */
export const UserView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    email: nullableText,
    username: nullableText,
    phone: nullableText,
    name: nullableText,
    email_confirmed: Type.Boolean(),
    roles: Type.Array(Type.String()),
    disabled: Type.Boolean(),
    locale: nullableText,
    realm: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { additionalProperties: false },
);
export type UserView = Type.Static<typeof UserView>;

export const viewUser = (user: UserRow): UserView => ({
  id: user.id,
  email: user.email,
  username: user.username,
  phone: user.phone,
  name: user.name,
  email_confirmed: user.email_confirmed === 1,
  roles: rolesOf(user),
  disabled: user.disabled === 1,
  locale: user.locale,
  realm: user.realm,
  created_at: new Date(user.created_at).toISOString(),
  updated_at: new Date(user.updated_at).toISOString(),
});
