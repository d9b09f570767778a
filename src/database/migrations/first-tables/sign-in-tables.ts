import { bigint, integer, json, table, text } from '../../columns.ts';

/** Factors, accounts at external identity providers, and sign-ins that are under way. */
export const signInTables = {
  passkeys: table({
    id: text().primary,
    user_id: text().references('users'),
    /** As WebAuthn calls it, base64url. */
    credential_id: text().unique,
    /** COSE, base64url. */
    public_key: text(),
    counter: bigint(),
    /** JSON list. */
    transports: text(),
    name: text(),
    /** 1: a password manager may copy it to other devices. */
    backup_eligible: integer(),
    backed_up: integer(),
    /** 1: the browser made it by itself after a password login. The password alone still signs in. */
    automatic: integer(),
    created_at: bigint(),
    last_used_at: bigint().nullable,
    version: integer().default(1),
  }).index('passkeys_user', '(user_id)'),
  /** The random name by which passkeys know their user (WebAuthn 14.6.1: nothing about the person can be read from it). */
  passkey_handles: table({
    user_id: text().primary.references('users'),
    handle: text().unique,
  }),
  authenticators: table({
    id: text().primary,
    user_id: text().references('users'),
    name: text(),
    /** Sealed as keys are, bound to the id. */
    sealed_secret: text(),
    /** The time step of the last accepted code. It and earlier codes are refused. */
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
  /** Codes that were sent by mail. A code follows from the id and a server key, so that nothing usable is stored. */
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
    /** SHA-256 of the user and of the name that the cookie gives this browser. */
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
  /** Signed values that work once and have been used: passkey challenges, and tokens of the second step. */
  spent_values: table({
    id: text().primary,
    expires_at: bigint(),
  }).index('spent_values_expires', '(expires_at)'),
  /** Tokens that the operator made for applications to register themselves with: SHA-256. */
  registration_tokens: table({
    hash: text().primary,
    created_at: bigint(),
    expires_at: bigint(),
  }),
  /** An account at a provider that a user signs in with. It is known by issuer and subject, never by its email. */
  identities: table({
    id: text().primary,
    user_id: text().references('users'),
    /** The name of the provider's declaration. */
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
  /** Sign-ins that were sent to a provider and have not come back. */
  provider_attempts: table({
    /** SHA-256 of `state`. */
    id: text().primary,
    provider: text(),
    purpose: text<'sign-in' | 'link' | 'prove' | 'test'>(),
    /** SHA-256 of the cookie of the browser that began it. */
    visitor: text(),
    /** The user who links an identity or renews a proof. */
    user_id: text().nullable,
    session_id: text().nullable,
    /** The path of the first-party client that it is for; null: the pages. */
    client: text().nullable,
    next: text().nullable,
    /** The id of the mailed link of the invitation that is being accepted. */
    invitation: text().nullable,
    /** Seconds, as asked of the provider. */
    max_age: bigint().nullable,
    created_at: bigint(),
    expires_at: bigint(),
  }).index('provider_attempts_expires', '(expires_at)'),
  /** Identities whose email belongs to a user who has yet to prove that the account is theirs. */
  pending_identities: table({
    /** SHA-256 of what the address of the page holds. */
    id: text().primary,
    user_id: text().references('users'),
    provider: text(),
    visitor: text(),
    /** JSON: what the provider said. */
    upstream: text(),
    client: text().nullable,
    next: text().nullable,
    created_at: bigint(),
    expires_at: bigint(),
  })
    .index('pending_identities_user', '(user_id)')
    .index('pending_identities_expires', '(expires_at)'),
  /** The declared providers, and how the last sign-ins with them went. */
  providers: table({
    /** The name of the declaration. */
    id: text().primary,
    label: text(),
    issuer: text(),
    client_id: text(),
    redirect_uri: text(),
    enabled: integer().default(1),
    secret_expires_at: bigint().nullable,
    last_success_at: bigint().nullable,
    last_failure_at: bigint().nullable,
    /** A code of `provider-failure.ts`. */
    failure: text().nullable,
    failure_detail: text().nullable,
    created_at: bigint(),
  }),
};
