import type { Generated } from 'kysely';
import type { JsonText } from '../../platform/json-text.ts';

/** Sign-in with external identity providers. Written as `Tables` are. */
export interface IdentityTables {
  /** An account at a provider that a user signs in with. It is known by issuer and subject, never by its email. */
  identities: {
    id: string;
    user_id: string;
    /** The name of the provider's declaration. */
    provider: string;
    issuer: string;
    subject: string;
    /** The profile that the provider sent at the last sign-in. It only helps people to recognise the account. */
    email: string | null;
    /** JSON list: the roles that the user has because of this provider. */
    roles: Generated<JsonText<string[]>>;
    created_at: number;
    last_used_at: number | null;
    version: Generated<number>;
  };
  /** Sessions that began with a sign-in at a provider. */
  identity_sessions: { session_id: string; identity_id: string; upstream_sid: string | null };
  /** Sign-ins that were sent to a provider and have not come back. */
  provider_attempts: {
    /** SHA-256 of `state`. */
    id: string;
    provider: string;
    purpose: 'sign-in' | 'link' | 'prove' | 'test';
    /** SHA-256 of the cookie of the browser that began it. */
    visitor: string;
    /** The user who links an identity or renews a proof. */
    user_id: string | null;
    session_id: string | null;
    /** The path of the first-party client that it is for; null: the pages. */
    client: string | null;
    next: string | null;
    /** The id of the mailed link of the invitation that is being accepted. */
    invitation: string | null;
    /** Seconds, as asked of the provider. */
    max_age: number | null;
    created_at: number;
    expires_at: number;
  };
  /** Identities whose email belongs to a user who has yet to prove that the account is theirs. */
  pending_identities: {
    /** SHA-256 of what the address of the page holds. */
    id: string;
    user_id: string;
    provider: string;
    visitor: string;
    /** JSON: what the provider said. */
    upstream: string;
    client: string | null;
    next: string | null;
    created_at: number;
    expires_at: number;
  };
  /** The declared providers, and how the last sign-ins with them went. */
  providers: {
    /** The name of the declaration. */
    id: string;
    label: string;
    issuer: string;
    client_id: string;
    redirect_uri: string;
    enabled: Generated<number>;
    secret_expires_at: number | null;
    last_success_at: number | null;
    last_failure_at: number | null;
    /** A code of `provider-failure.ts`. */
    failure: string | null;
    failure_detail: string | null;
    created_at: number;
  };
}
