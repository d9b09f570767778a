import { Type } from 'typebox';
import { uuidv7 } from '../../database/uuid.ts';
import { type Changes, changesBetween } from '../../resources/write/changes.ts';
import type { Profile } from './user-fields.ts';
import { rolesOf, type UserRow } from './user-store.ts';

/** The realm of users who register in this service. */
export const defaultRealm = 'users';

/** Whether a client with this realm may sign the user in. A client without a realm signs in all users. */
export const isInRealm = (user: Pick<UserRow, 'realm'>, realm: string | null | undefined): boolean =>
  realm === null || realm === undefined || user.realm === realm;

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

export const toUserView = (user: UserRow): UserView => ({
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

interface NewUser {
  readonly profile: Profile;
  readonly passwordHash: string;
  readonly confirmed: boolean | undefined;
  readonly roles: readonly string[] | undefined;
  readonly now: number;
}

export const newUserRow = ({ profile, passwordHash, confirmed, roles, now }: NewUser): UserRow => ({
  id: uuidv7(now),
  ...profile,
  password_hash: passwordHash,
  email_confirmed: confirmed && profile.email !== null ? 1 : 0,
  roles: JSON.stringify([...new Set(roles)]),
  disabled: 0,
  locale: null,
  realm: defaultRealm,
  created_at: now,
  updated_at: now,
  version: 1,
});

type AuditedFields = Profile & { readonly roles?: readonly string[] };

const auditedFields = ({ email, username, phone, name, roles = [] }: AuditedFields) => ({
  email,
  username,
  phone,
  name,
  roles,
});

/** The data of a new user in the audit trail. */
export const newUserChanges = (user: AuditedFields): Changes => changesBetween(undefined, auditedFields(user));

export const profileChanges = (before: Profile, after: Profile): Changes =>
  changesBetween(auditedFields({ ...before, roles: [] }), auditedFields({ ...after, roles: [] }));
