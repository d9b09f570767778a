import { bigint, integer, json, table, text } from '../../columns.ts';

/** Clients, sessions, keys, consents and authorizations. */
export const oauthTables = {
  clients: table({
    id: text().primary,
    /** password: first-party. personal: third-party, for itself. application: people sign in to it. */
    type: text<'password' | 'personal' | 'application'>(),
    name: text(),
    /** The owner of a personal client or an application; null for the operator's own. */
    user_id: text().nullable.references('users'),
    /** JSON list: the scopes that the client may request, and the default. */
    scopes: json<string[]>().default('[]'),
    created_at: bigint(),
    updated_at: bigint(),
    version: integer().default(1),
    /** 1: an application without a secret. */
    public: integer().default(0),
    /** JSON lists, as registered to the letter. */
    redirect_uris: text().default('[]'),
    post_logout_redirect_uris: text().default('[]'),
    homepage_uri: text().optional,
    logo_uri: text().optional,
    backchannel_logout_uri: text().optional,
    /** 1: people are not asked for their consent. */
    trusted: integer().default(0),
    /** How it registered itself; details are in client_registrations. */
    registration: text<'dynamic' | 'document'>().optional,
    /** 1: PKCE is required, although it has a secret. */
    require_pkce: integer().default(0),
    /** Null: RS256. */
    id_token_signed_response_alg: text<'RS256' | 'ES256' | 'EdDSA'>().optional,
    /** 1: ID tokens hold the claims of the granted scopes. */
    id_token_claims: integer().default(1),
    /** JSON list. Empty: all grant types of an application. */
    grant_types: text().default('[]'),
    /** Null: by its secret, in either way. */
    token_endpoint_auth_method: text<'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none'>()
      .optional,
    /** Seconds. */
    default_max_age: bigint().optional,
    tos_uri: text().optional,
    policy_uri: text().optional,
    /** JSON (RFC 7517). */
    jwks: text().optional,
    jwks_uri: text().optional,
    /** 1: the application requires it. `fapi` requires all of FAPI 2.0. */
    require_pushed_authorization_requests: integer().default(0),
    require_signed_request_object: integer().default(0),
    dpop_bound_access_tokens: integer().default(0),
    fapi: integer().default(0),
    /** Only users of this realm sign in through it; null: everybody. */
    realm: text().optional,
  }).index('clients_user', '(user_id, id)'),
  client_secrets: table({
    id: text().primary,
    client_id: text().references('clients'),
    /** HMAC-SHA256 of the secret under a server key, base64url. */
    secret_hash: text(),
    created_at: bigint(),
    /** Null for the current secret; a replaced one may live some hours more. */
    expires_at: bigint().nullable,
    key_id: text().nullable,
    /** SHA-256, by which a reported secret is found; null for secrets that somebody chose. */
    value_hash: text().optional,
  }).index('client_secrets_client', '(client_id)'),
  /** One row per login: of a user through a client, of a client, or a personal access token. */
  sessions: table({
    id: text().primary,
    type: text<'session' | 'personal'>().check("type in ('session', 'personal')"),
    user_id: text().nullable.references('users'),
    client_id: text().nullable.references('clients'),
    name: text().nullable,
    /** JSON list. */
    scopes: json<string[]>(),
    generation: integer().default(0),
    rotated_at: bigint().nullable,
    created_at: bigint(),
    /** When the refresh token ends (sessions), or the access token itself (personal). */
    expires_at: bigint(),
    revoked_at: bigint().nullable,
    /** Null until the value of a personal access token was shown, which happens once. */
    revealed_at: bigint().nullable,
    last_used_at: bigint().nullable,
    address: text().nullable,
    user_agent: text().nullable,
    version: integer().default(1),
    /** The newest generation whose tokens are known to have arrived, and when they were first used. */
    used_generation: integer().nullable,
    used_at: bigint().nullable,
    /** The address that sent the refresh of this generation. `address` changes with each use. */
    rotated_address: text().nullable,
    /** The newest generation that another device's retry was recorded of. */
    retried_generation: integer().nullable,
    /** When and how the user authenticated. */
    auth_time: bigint().optional,
    /** JSON list (RFC 8176). */
    amr: json<string[]>().optional,
    acr: text().optional,
    /** JSON list of the audiences that access tokens may be for (RFC 8707); null: the service itself. */
    resource: json<string[]>().optional,
    /** JSON of `GrantDetails`: what an application was given beyond scopes. */
    details: text().optional,
    /** SHA-256 of the value of a personal access token; null until it was shown, and for sessions. */
    token_hash: text().optional,
  })
    .index('sessions_user', '(user_id, id) where user_id is not null')
    .index('sessions_client', '(client_id, id) where client_id is not null')
    .index('sessions_expires', '(expires_at)')
    .index('sessions_revoked', '(revoked_at) where revoked_at is not null'),
  signing_keys: table({
    id: text().primary,
    /** `sign` holds a key pair; `mac` the symmetric server keys. */
    purpose: text<'sign' | 'mac'>().check("purpose in ('sign', 'mac')"),
    algorithm: text(),
    public_jwk: text().nullable,
    sealed_private: text(),
    created_at: bigint(),
    signs_from: bigint(),
    /** Set by the next rotation. Its tokens have expired then. */
    retires_at: bigint().nullable,
    /** `id_token`: signs ID tokens with RS256. Null: signs access tokens, or makes MACs. */
    signs: text<'id_token'>().optional.check("signs in ('id_token')"),
  }),
  /** Every BASE_URL of this service. Tokens of each are valid at all of them. */
  issuers: table({
    url: text().primary,
    created_at: bigint(),
  }),
  consents: table({
    id: text().primary,
    user_id: text().references('users'),
    client_id: text().references('clients'),
    /** JSON lists: what was allowed, and all that was asked for until now. */
    scopes: json<string[]>(),
    asked: json<string[]>(),
    created_at: bigint(),
    updated_at: bigint(),
    version: integer().default(1),
    /** The application's name at the last consent. */
    client_name: text().optional,
  })
    .constraint('unique (user_id, client_id)')
    .index('consents_client', '(client_id, id)'),
  /** RFC 6749 4.1.2. The value is the id and its MAC, so that nothing usable is stored. */
  authorization_codes: table({
    id: text().primary,
    client_id: text().references('clients'),
    user_id: text().references('users'),
    /** The browser session of the user. A code does not outlive it. */
    login_id: text(),
    redirect_uri: text(),
    /** For S256. Null: none was sent. */
    code_challenge: text().nullable,
    /** JSON lists: what the application asked for, and what it gets. */
    asked: json<string[]>(),
    scopes: json<string[]>(),
    nonce: text().nullable,
    /** JSON list (RFC 8707). */
    resource: json<string[]>().nullable,
    created_at: bigint(),
    expires_at: bigint(),
    used_at: bigint().nullable,
    /** The session that the code opened. It is ended if the code is used again. */
    session_id: text().nullable,
    /** JSON of `GrantDetails`. */
    details: text().nullable,
  })
    .index('authorization_codes_client', '(client_id)')
    .index('authorization_codes_user', '(user_id, client_id)')
    .index('authorization_codes_expires', '(expires_at)'),
  /** The applications that a user is signed in to. A row may outlive the session of the application. */
  application_logins: table({
    /** The application's session, which ID tokens and logout tokens name as `sid`. */
    session_id: text().primary,
    /** The browser's session that it began with; null for a device without one. */
    login_id: text().nullable,
    user_id: text().references('users'),
    client_id: text().references('clients'),
    created_at: bigint(),
  })
    .index('application_logins_login', '(login_id) where login_id is not null')
    .index('application_logins_user', '(user_id)')
    .index('application_logins_client', '(client_id)')
    .index('application_logins_created', '(created_at)'),
  /** Applications that nobody here made. */
  client_registrations: table({
    client_id: text().primary.references('clients'),
    /** It registered itself, or its own address describes it. */
    kind: text<'dynamic' | 'document'>().check("kind in ('dynamic', 'document')"),
    /** SHA-256 of what manages the registration. */
    token_hash: text().nullable,
    /** JSON: metadata without a column in clients. */
    metadata: text(),
    /** When a description must be fetched again. */
    fresh_until: bigint().nullable,
    created_at: bigint(),
    /** Exact to the day. */
    last_used_at: bigint(),
  }).index('client_registrations_used', '(last_used_at)'),
  /** Devices that ask for tokens while a person decides on another screen. */
  device_authorizations: table({
    id: text().primary,
    /** SHA-256 of what the device holds. */
    device_code_hash: text().unique,
    /** The user code, without its dash. */
    user_code: text().unique,
    client_id: text().references('clients'),
    /** JSON list. */
    scopes: json<string[]>(),
    /** JSON list of audiences; null: the service itself. */
    resource: json<string[]>().nullable,
    address: text().nullable,
    user_agent: text().nullable,
    created_at: bigint(),
    expires_at: bigint(),
    poll_seconds: integer(),
    polled_at: bigint().nullable,
    user_id: text().nullable.references('users'),
    /** The session after consent. Null with a decision: refused. */
    session_id: text().nullable,
    decided_at: bigint().nullable,
    redeemed_at: bigint().nullable,
  })
    .index('device_authorizations_client', '(client_id)')
    .index('device_authorizations_user', '(user_id) where user_id is not null')
    .index('device_authorizations_expires', '(expires_at)'),
  /** Hashes of used proofs: none works twice. */
  used_proofs: table({
    id: text().primary,
    expires_at: bigint(),
  }).index('used_proofs_expires', '(expires_at)'),
  /** Pushed authorization requests (RFC 9126). */
  pushed_requests: table({
    id: text().primary,
    client_id: text().references('clients'),
    /** As a query string. */
    parameters: text(),
    /** The thumbprint of the key that the application showed with it (RFC 9449 10.1). */
    jkt: text().nullable,
    created_at: bigint(),
    expires_at: bigint(),
  })
    .index('pushed_requests_expires', '(expires_at)')
    .index('pushed_requests_client', '(client_id)'),
};
