import type { Generated } from 'kysely';

/** What people let applications and devices do, while they decide and afterwards. Written as `Tables` are. */
export interface AuthorizationTables {
  /** What a user lets an application do. */
  consents: {
    id: string;
    user_id: string;
    client_id: string;
    /** JSON lists: what was allowed, and all that was asked for until now. */
    scopes: string;
    asked: string;
    created_at: number;
    updated_at: number;
    version: Generated<number>;
  };
  /** RFC 6749 4.1.2. The value is the id and its MAC, so that nothing usable is stored. */
  authorization_codes: {
    id: string;
    client_id: string;
    user_id: string;
    /** The browser's session that the user was signed in by: a code does not outlive it. */
    login_id: string;
    redirect_uri: string;
    /** Of the method S256. */
    code_challenge: string;
    /** JSON lists: what the application asked for, and what it gets. */
    asked: string;
    scopes: string;
    nonce: string | null;
    /** JSON list (RFC 8707). */
    resource: string | null;
    created_at: number;
    expires_at: number;
    used_at: number | null;
    /** What it gave: ended where the code is used again. */
    session_id: string | null;
  };
  /** Devices that ask for tokens while a person decides on another screen. */
  device_authorizations: {
    id: string;
    /** SHA-256 of what the device holds. */
    device_code_hash: string;
    /** What the person types, without its dash. */
    user_code: string;
    client_id: string;
    /** JSON list. */
    scopes: string;
    /** JSON list of audiences; null: the service itself. */
    resource: string | null;
    /** Of the device. */
    address: string | null;
    user_agent: string | null;
    created_at: number;
    expires_at: number;
    /** So long the device waits between two questions. */
    poll_seconds: number;
    polled_at: number | null;
    /** Who decided. */
    user_id: string | null;
    /** Opened by a person who agreed; null with a decision: refused. */
    session_id: string | null;
    decided_at: number | null;
    redeemed_at: number | null;
  };
}
