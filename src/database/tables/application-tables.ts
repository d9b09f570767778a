import type { Generated } from 'kysely';
import type { JsonText } from '../../platform/json-text.ts';

/** Clients, and tables of applications that people sign in to from elsewhere. */
export interface ApplicationTables {
  clients: {
    id: string;
    /** password: first-party. personal: third-party, for itself. application: people sign in to it. */
    type: 'password' | 'personal' | 'application';
    name: string;
    /** The owner of a personal client or an application; null for the operator's own. */
    user_id: string | null;
    /** JSON list: the scopes that the client may request, and the default. */
    scopes: JsonText<string[]>;
    /** 1: an application without a secret. */
    public: Generated<number>;
    /** JSON lists, as registered to the letter. */
    redirect_uris: Generated<string>;
    post_logout_redirect_uris: Generated<string>;
    homepage_uri: Generated<string | null>;
    logo_uri: Generated<string | null>;
    backchannel_logout_uri: Generated<string | null>;
    /** 1: people are not asked for their consent. */
    trusted: Generated<number>;
    /** How it registered itself; details are in client_registrations. */
    registration: Generated<'dynamic' | 'document' | null>;
    /** Only users of this realm sign in through it; null: everybody. */
    realm: Generated<string | null>;
    /** 1: PKCE is required, although it has a secret. */
    require_pkce: Generated<number>;
    /** Null: RS256. */
    id_token_signed_response_alg: Generated<'RS256' | 'ES256' | 'EdDSA' | null>;
    /** 1: ID tokens hold the claims of the granted scopes. */
    id_token_claims: Generated<number>;
    /** JSON list. Empty: all grant types of an application. */
    grant_types: Generated<string>;
    /** Null: by its secret, in either way. */
    token_endpoint_auth_method: Generated<
      'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none' | null
    >;
    /** Seconds. */
    default_max_age: Generated<number | null>;
    tos_uri: Generated<string | null>;
    policy_uri: Generated<string | null>;
    /** JSON (RFC 7517). */
    jwks: Generated<string | null>;
    jwks_uri: Generated<string | null>;
    /** 1: the application requires it. `fapi` requires all of FAPI 2.0. */
    require_pushed_authorization_requests: Generated<number>;
    require_signed_request_object: Generated<number>;
    dpop_bound_access_tokens: Generated<number>;
    fapi: Generated<number>;
    created_at: number;
    updated_at: number;
    version: number;
  };
  /** Devices that ask for tokens while a person decides on another screen. */
  device_authorizations: {
    id: string;
    /** SHA-256 of what the device holds. */
    device_code_hash: string;
    /** The user code, without its dash. */
    user_code: string;
    client_id: string;
    /** JSON list. */
    scopes: JsonText<string[]>;
    /** JSON list of audiences; null: the service itself. */
    resource: JsonText<string[]> | null;
    address: string | null;
    user_agent: string | null;
    created_at: number;
    expires_at: number;
    poll_seconds: number;
    polled_at: number | null;
    user_id: string | null;
    /** The session after consent. Null with a decision: refused. */
    session_id: string | null;
    decided_at: number | null;
    redeemed_at: number | null;
  };
  /** Applications that nobody here made. */
  client_registrations: {
    client_id: string;
    /** It registered itself, or its own address describes it. */
    kind: 'dynamic' | 'document';
    /** SHA-256 of what manages the registration. */
    token_hash: string | null;
    /** JSON: metadata without a column in clients. */
    metadata: string;
    /** When a description must be fetched again. */
    fresh_until: number | null;
    created_at: number;
    /** Exact to the day. */
    last_used_at: number;
  };
  /** Hashes of used proofs: none works twice. */
  used_proofs: { id: string; expires_at: number };
  /** Pushed authorization requests (RFC 9126). */
  pushed_requests: {
    id: string;
    client_id: string;
    /** As a query string. */
    parameters: string;
    /** The thumbprint of the key that the application showed with it (RFC 9449 10.1). */
    jkt: string | null;
    created_at: number;
    expires_at: number;
  };
}
