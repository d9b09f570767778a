import { bigint, integer, json, table, text } from '../../columns.ts';

/** Users, roles and sign-in limits. */
export const identityTables = {
  users: table({
    id: text().primary,
    /** Normalised by `normaliseEmail`. A user has an email, a username or a phone. */
    email: text().nullable.unique,
    username: text().nullable.unique,
    /** E.164. */
    phone: text().nullable.unique,
    name: text().nullable,
    password_hash: text(),
    email_confirmed: integer().default(0),
    /** JSON list of role names. */
    roles: json<string[]>().default('[]'),
    created_at: bigint(),
    updated_at: bigint(),
    version: integer().default(1),
    /** 1: the user cannot sign in. The response is the same as for a wrong password. */
    disabled: integer().default(0),
    /** BCP 47: the language that the user has chosen. */
    locale: text().optional,
    /** The group of users that the user belongs to. Only clients of this realm, or without a realm, sign the user in. */
    realm: text().default('users'),
  })
    .constraint('check (email is not null or username is not null or phone is not null)')
    .index('users_created', '(created_at, id)')
    .index('users_email_folded', '(lower(email))', 'unique index'),
  /** The role names of the setting ROLES, and admin. */
  roles: table({ id: text().primary }),
  /** A change of email by the user. It takes effect when the new address is confirmed, and the old address can undo it. */
  email_changes: table({
    id: text().primary,
    user_id: text().references('users'),
    old_email: text().nullable,
    /** Null: the address was removed. */
    new_email: text().nullable,
    created_at: bigint(),
    confirmed_at: bigint().nullable,
    /** When the change was cancelled or replaced. It cannot be confirmed any more. */
    withdrawn_at: bigint().nullable,
    undone_at: bigint().nullable,
    /** Until then, the old address is reserved, and the link in its mail undoes the change. */
    undo_until: bigint(),
  })
    .index('email_changes_user', '(user_id)')
    .index('email_changes_old', '(old_email)')
    .index('email_changes_until', '(undo_until)'),
  /** Browsers that logged in to an account before. OWASP calls their cookie a device cookie. */
  known_devices: table({
    user_id: text().references('users'),
    /** A hash. It reveals nothing about the browser. */
    fingerprint: text(),
    first_seen_at: bigint(),
    last_seen_at: bigint(),
  })
    .constraint('primary key (user_id, fingerprint)')
    .index('known_devices_seen', '(last_seen_at)'),
  /** The time zone of the user's browser at the last sign-in. */
  user_time_zones: table({ user_id: text().primary.references('users'), time_zone: text() }),
  /** Links in mail. The token is the id and its MAC, so the database holds no usable token. */
  one_time_tokens: table({
    id: text().primary,
    purpose: text<'confirm_email' | 'reset_password'>(),
    user_id: text().references('users'),
    /** The address of the mail. The token becomes invalid when the user's address changes. */
    email: text(),
    created_at: bigint(),
    expires_at: bigint(),
    used_at: bigint().nullable,
  })
    .index('one_time_tokens_user', '(user_id)')
    .index('one_time_tokens_expires', '(expires_at)'),
  /** Counts of limited actions, shared by all instances. */
  throttles: table({
    key: text().primary,
    count: integer(),
    expires_at: bigint(),
    /** Attempts without a known result. */
    pending: integer().default(0),
    /** When those attempts are dropped, because their process must have crashed. */
    pending_until: bigint().default(0),
  }).index('throttles_expires', '(expires_at)'),
};
