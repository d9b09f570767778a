import { bigint, integer, json, table, text } from '../../columns.ts';

/** Factors, accounts at external identity providers, and pending sign-ins. */
export const signInTables = {
  passkeys: table({
    id: text().primary,
    user_id: text().references('users'),
    /** The credential id of WebAuthn in base64url. */
    credential_id: text().unique,
    /** A COSE key in base64url. */
    public_key: text(),
    counter: bigint(),
    /** JSON list. */
    transports: json<[]>(),
    name: text(),
    /** 1: a password manager may copy it to other devices. */
    backup_eligible: integer(),
    backed_up: integer(),
    /** 1: the browser created it after a password login, without asking. The password alone still signs in. */
    automatic: integer(),
    created_at: bigint(),
    last_used_at: bigint().nullable,
    version: integer().default(1),
  }).index('passkeys_user', '(user_id)'),
  /** The user handle of passkeys. It is random and reveals nothing about the person (WebAuthn 14.6.1). */
  passkey_handles: table({ user_id: text().primary.references('users'), handle: text().unique }),
  authenticators: table({
    id: text().primary,
    user_id: text().references('users'),
    name: text(),
    /** Encrypted, and bound to the id. */
    sealed_secret: text(),
    /** The time step of the last accepted code. It and earlier codes are rejected. */
    last_step: bigint().default(0),
    created_at: bigint(),
    /** Null until the first code is accepted. */
    confirmed_at: bigint().nullable,
    last_used_at: bigint().nullable,
    version: integer().default(1),
  }).index('authenticators_user', '(user_id)'),
  /** SHA-256 of the user and 80 random bits. */
  recovery_codes: table({
    user_id: text().references('users'),
    hash: text(),
    created_at: bigint(),
    used_at: bigint().nullable,
  }).constraint('primary key (user_id, hash)'),
  /** Codes that were sent by mail. A code is derived from the id and a server key, so the database holds no usable code. */
  email_codes: table({
    /** Only the caller who requested the code knows it. */
    id: text().primary,
    email: text(),
    attempts: integer().default(0),
    created_at: bigint(),
    expires_at: bigint(),
  }).index('email_codes_expires', '(expires_at)'),
  /** Browsers that need no second factor until `expires_at`. */
  remembered_browsers: table({
    id: text().primary,
    user_id: text().references('users'),
    /** SHA-256 of the user and of the browser's name in the cookie. */
    device_hash: text().unique,
    address: text().nullable,
    user_agent: text().nullable,
    created_at: bigint(),
    last_used_at: bigint(),
    expires_at: bigint(),
    version: integer().default(1),
  })
    .index('remembered_browsers_user', '(user_id)')
    .index('remembered_browsers_expires', '(expires_at)'),
  /** Signed values that are valid once and were used: passkey challenges, and tokens of the second step. */
  spent_values: table({ id: text().primary, expires_at: bigint() }).index('spent_values_expires', '(expires_at)'),
  /** SHA-256 of the tokens with which applications may register themselves. The operator creates them. */
  registration_tokens: table({ hash: text().primary, created_at: bigint(), expires_at: bigint() }),
  /** An account at a provider with which a user signs in. It is identified by issuer and subject, never by email. */
  identities: table({
    id: text().primary,
    user_id: text().references('users'),
    /** The name of the provider in the configuration. */
    provider: text(),
    issuer: text(),
    subject: text(),
    /** The profile that the provider sent at the last sign-in. It only helps people to recognise the account. */
    email: text().nullable,
    /** JSON list: the roles that the user has because of this provider. */
    roles: json<string[]>().default('[]'),
    created_at: bigint(),
    last_used_at: bigint().nullable,
    version: integer().default(1),
  })
    .constraint('unique (issuer, subject)')
    .index('identities_user', '(user_id)'),
  /** Sessions that began with a sign-in at a provider. */
  identity_sessions: table({
    session_id: text().primary.references('sessions'),
    identity_id: text().references('identities'),
    upstream_sid: text().nullable,
  }).index('identity_sessions_identity', '(identity_id)'),
  /** Pending sign-ins at a provider. */
  provider_attempts: table({
    /** SHA-256 of `state`. */
    id: text().primary,
    provider: text(),
    purpose: text<'sign-in' | 'link' | 'prove' | 'test'>(),
    /** SHA-256 of the cookie of the browser that started the sign-in. */
    visitor: text(),
    /** The user who links an identity or renews a proof. */
    user_id: text().nullable,
    session_id: text().nullable,
    /** The path of the first-party client that started it. Null: the sign-in pages. */
    client: text().nullable,
    next: text().nullable,
    /** The id of the invitation link that is being accepted. */
    invitation: text().nullable,
    /** Seconds, as requested from the provider. */
    max_age: bigint().nullable,
    created_at: bigint(),
    expires_at: bigint(),
  }).index('provider_attempts_expires', '(expires_at)'),
  /** Identities whose email belongs to an existing user. That user must first prove that the account is theirs. */
  pending_identities: table({
    /** SHA-256 of the token in the address of the page. */
    id: text().primary,
    user_id: text().references('users'),
    provider: text(),
    visitor: text(),
    /** JSON: the provider's claims. */
    upstream: text(),
    client: text().nullable,
    next: text().nullable,
    created_at: bigint(),
    expires_at: bigint(),
  })
    .index('pending_identities_user', '(user_id)')
    .index('pending_identities_expires', '(expires_at)'),
  /** The declared providers, and the results of their last sign-ins. */
  providers: table({
    /** The name of the provider in the configuration. */
    id: text().primary,
    label: text(),
    issuer: text(),
    client_id: text(),
    redirect_uri: text(),
    enabled: integer().default(1),
    secret_expires_at: bigint().nullable,
    last_success_at: bigint().nullable,
    last_failure_at: bigint().nullable,
    /** A code from `provider-failure.ts`. */
    failure: text().nullable,
    failure_detail: text().nullable,
    created_at: bigint(),
  }),
};
