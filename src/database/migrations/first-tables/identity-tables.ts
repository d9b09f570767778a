import { bigint, integer, json, table, text } from '../../columns.ts';

/** Users and how they are recognised. */
export const identityTables = {
  users: table({
    id: text().primary,
    /** In the form of `normaliseEmail`. A user has an email, a username or a phone. */
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
    /** 1: cannot sign in, as with a wrong password. */
    disabled: integer().default(0),
    /** BCP 47: the language that the user has chosen. */
    locale: text().optional,
    /** The set of people that the user belongs to. A client with a realm signs in nobody else. */
    realm: text().default('users'),
  })
    .constraint('check (email is not null or username is not null or phone is not null)')
    .index('users_created', '(created_at, id)')
    .index('users_email_folded', '(lower(email))', 'unique index'),
  /** The names that the setting ROLES has, and admin. */
  roles: table({
    id: text().primary,
  }),
  /** A user's own change of email: it waits for the new address to be confirmed, and the old one can undo it. */
  email_changes: table({
    id: text().primary,
    user_id: text().references('users'),
    old_email: text().nullable,
    /** Null: the address was removed. */
    new_email: text().nullable,
    created_at: bigint(),
    confirmed_at: bigint().nullable,
    /** When it was cancelled or replaced: it cannot be confirmed any more. */
    withdrawn_at: bigint().nullable,
    undone_at: bigint().nullable,
    /** Until then the old address is reserved, and its link undoes the change. */
    undo_until: bigint(),
  })
    .index('email_changes_user', '(user_id)')
    .index('email_changes_old', '(old_email)')
    .index('email_changes_until', '(undo_until)'),
  /** Browsers that logged in to an account before. OWASP calls their cookie a device cookie. */
  known_devices: table({
    user_id: text().references('users'),
    /** A hash: nothing of the browser can be read from it. */
    fingerprint: text(),
    first_seen_at: bigint(),
    last_seen_at: bigint(),
  })
    .constraint('primary key (user_id, fingerprint)')
    .index('known_devices_seen', '(last_seen_at)'),
  /** The time zone that a user's browser named at the last sign-in. */
  user_time_zones: table({
    user_id: text().primary.references('users'),
    time_zone: text(),
  }),
  /** Links in mail. The value is the id and its MAC, so that nothing usable is stored. */
  one_time_tokens: table({
    id: text().primary,
    purpose: text<'confirm_email' | 'reset_password'>(),
    user_id: text().references('users'),
    /** The address it was sent to: a changed address voids it. */
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
    /** Attempts whose result is not known yet. */
    pending: integer().default(0),
    /** When those attempts are dropped, because their process must have crashed. */
    pending_until: bigint().default(0),
  }).index('throttles_expires', '(expires_at)'),
};
