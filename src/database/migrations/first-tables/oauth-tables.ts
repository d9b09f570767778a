import { bigint, integer, json, table, text } from '../../columns.ts';
import type { PublicJwk } from '../../keys/signing.ts';

/** Clients, sessions, keys, consents and authorizations. */
export const oauthTables = {
  clients: table({
    id: text().primary,
    /** password: first-party. personal: third-party, for itself. application: people sign in to it. */
    type: text<'password' | 'personal' | 'application'>(),
    name: text(),
    /** The owner of a personal client or an application. Null: the operator. */
    user_id: text().nullable.references('users'),
    /** JSON list: the scopes that the client may request, and the default. */
    scopes: json<string[]>().default('[]'),
    created_at: bigint(),
    updated_at: bigint(),
    version: integer().default(1),
    /** 1: an application without a secret. */
    public: integer().default(0),
    /** JSON lists, stored exactly as registered. */
    redirect_uris: json<string[]>().default('[]'),
    post_logout_redirect_uris: json<string[]>().default('[]'),
    homepage_uri: text().optional,
    logo_uri: text().optional,
    backchannel_logout_uri: text().optional,
    /** 1: no consent is required. */
    trusted: integer().default(0),
    /** How the application registered itself. Details are in client_registrations. */
    registration: text<'dynamic' | 'document'>().optional,
    /** 1: PKCE is required, although it has a secret. */
    require_pkce: integer().default(0),
    /** Null: RS256. */
    id_token_signed_response_alg: text<'RS256' | 'ES256' | 'EdDSA'>().optional,
    /** 1: ID tokens hold the claims of the granted scopes. */
    id_token_claims: integer().default(1),
    /** JSON list. Empty: all grant types of an application. */
    grant_types: json<string[]>().default('[]'),
    /** Null: client_secret_basic or client_secret_post. */
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
    /** Only users of this realm can sign in with it. Null: all users. */
    realm: text().optional,
  }).index('clients_user', '(user_id, id)'),
  client_secrets: table({
    id: text().primary,
    client_id: text().references('clients'),
    /** HMAC-SHA256 of the secret under a server key, base64url. */
    secret_hash: text(),
    created_at: bigint(),
    /** Null for the current secret. A replaced secret can stay valid for some hours. */
    expires_at: bigint().nullable,
    key_id: text().nullable,
    /** SHA-256, to find a leaked secret that somebody reports. Null for secrets that a person chose. */
    value_hash: text().optional,
  }).index('client_secrets_client', '(client_id)'),
  /** One row per login: a user with a client, a client alone, or a personal access token. */
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
    /** The expiry of the refresh token, or of a personal access token. */
    expires_at: bigint(),
    /**
     * Pruning reads the session at this time; 0: at the next time. A refresh changes `expires_at`, which therefore has no index: an UPDATE
     * of an indexed column writes the index too, and PostgreSQL writes all indexes of the table.
     */
    prune_at: bigint().default(0),
    revoked_at: bigint().nullable,
    /** Null until the personal access token was shown. It is shown once. */
    revealed_at: bigint().nullable,
    last_used_at: bigint().nullable,
    address: text().nullable,
    user_agent: text().nullable,
    version: integer().default(1),
    /** The newest generation whose tokens have reached the client, and the time of their first use. */
    used_generation: integer().nullable,
    used_at: bigint().nullable,
    /** The address of the request that created this generation. `address` changes with each use. */
    rotated_address: text().nullable,
    /** The newest generation for which a retry from another device was recorded. */
    retried_generation: integer().nullable,
    /** When and how the user authenticated. */
    auth_time: bigint().optional,
    /** JSON list (RFC 8176). */
    amr: json<string[]>().optional,
    acr: text().optional,
    /** JSON list of the audiences that access tokens may be for (RFC 8707); null: the service itself. */
    resource: json<string[]>().optional,
    /** JSON of `GrantDetails`: other grants than scopes. */
    details: text().optional,
    /** SHA-256 of a personal access token. Null until it was shown, and for other sessions. */
    token_hash: text().optional,
  })
    .index('sessions_user', '(user_id, id) where user_id is not null')
    .index('sessions_client', '(client_id, id) where client_id is not null')
    .index('sessions_prune', '(prune_at)')
    .index('sessions_revoked', '(revoked_at) where revoked_at is not null'),
  signing_keys: table({
    id: text().primary,
    /** `sign`: a key pair. `mac`: a symmetric key. */
    purpose: text<'sign' | 'mac'>().check("purpose in ('sign', 'mac')"),
    algorithm: text(),
    public_jwk: json<PublicJwk>().nullable,
    sealed_private: text(),
    created_at: bigint(),
    signs_from: bigint(),
    /** Set by the next rotation. The tokens of the key have expired by then. */
    retires_at: bigint().nullable,
    /** `id_token`: signs ID tokens with RS256. Null: signs access tokens, or makes MACs. */
    signs: text<'id_token'>().optional.check("signs in ('id_token')"),
  }),
  /** Every BASE_URL that this service has had. Tokens of each issuer are valid at all of them. */
  issuers: table({ url: text().primary, created_at: bigint() }),
  consents: table({
    id: text().primary,
    user_id: text().references('users'),
    client_id: text().references('clients'),
    /** JSON lists: the granted scopes, and all scopes that were requested so far. */
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
  /** RFC 6749 4.1.2. The code is the id and its MAC, so the database holds no usable code. */
  authorization_codes: table({
    id: text().primary,
    client_id: text().references('clients'),
    user_id: text().references('users'),
    /** The browser session of the user. The code is invalid after it ends. */
    login_id: text(),
    redirect_uri: text(),
    /** The challenge for S256. Null: none was sent. */
    code_challenge: text().nullable,
    /** JSON lists: the requested scopes, and the granted ones. */
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
  /** The applications that a user is signed in to. A row may exist longer than the session of the application. */
  application_logins: table({
    /** The application's session, which ID tokens and logout tokens name as `sid`. */
    session_id: text().primary,
    /** The browser session in which it began. Null for a device without a browser session. */
    login_id: text().nullable,
    user_id: text().references('users'),
    client_id: text().references('clients'),
    created_at: bigint(),
  })
    .index('application_logins_login', '(login_id) where login_id is not null')
    .index('application_logins_user', '(user_id)')
    .index('application_logins_client', '(client_id)')
    .index('application_logins_created', '(created_at)'),
  /** Applications that registered themselves. */
  client_registrations: table({
    client_id: text().primary.references('clients'),
    /** dynamic: registered by a request. document: described by a document at its client ID. */
    kind: text<'dynamic' | 'document'>().check("kind in ('dynamic', 'document')"),
    /** SHA-256 of the token that manages the registration. */
    token_hash: text().nullable,
    /** JSON: metadata without a column in clients. */
    metadata: text(),
    /** The time at which the document must be fetched again. */
    fresh_until: bigint().nullable,
    created_at: bigint(),
    /** Accurate to a day. */
    last_used_at: bigint(),
  }).index('client_registrations_used', '(last_used_at)'),
  /** Device authorization requests (RFC 8628): a person decides on another device. */
  device_authorizations: table({
    id: text().primary,
    /** SHA-256 of the device code. */
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
    /** The session after consent. Null after a decision: the user denied the request. */
    session_id: text().nullable,
    decided_at: bigint().nullable,
    redeemed_at: bigint().nullable,
  })
    .index('device_authorizations_client', '(client_id)')
    .index('device_authorizations_user', '(user_id) where user_id is not null')
    .index('device_authorizations_expires', '(expires_at)'),
  /** Hashes of used proofs, because each proof is valid once. */
  used_proofs: table({ id: text().primary, expires_at: bigint() }).index('used_proofs_expires', '(expires_at)'),
  /** Pushed authorization requests (RFC 9126). */
  pushed_requests: table({
    id: text().primary,
    client_id: text().references('clients'),
    /** A query string. If the application sent a signed request (RFC 9101), its verified claims. */
    parameters: text(),
    signed: integer(),
    /** The thumbprint of the application's DPoP key (RFC 9449 10.1). */
    jkt: text().nullable,
    created_at: bigint(),
    expires_at: bigint(),
  })
    .index('pushed_requests_expires', '(expires_at)')
    .index('pushed_requests_client', '(client_id)'),
};
