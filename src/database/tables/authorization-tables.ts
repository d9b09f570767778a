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
    /** The application's name when it was last allowed something; null where an older version wrote it. */
    client_name: Generated<string | null>;
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
    /** Of the method S256; null: the application sent none. */
    code_challenge: string | null;
    /** JSON lists: what the application asked for, and what it gets. */
    asked: string;
    scopes: string;
    nonce: string | null;
    /** JSON list (RFC 8707). */
    resource: string | null;
    /** JSON of `GrantDetails`. */
    details: string | null;
    created_at: number;
    expires_at: number;
    used_at: number | null;
    /** What it gave: ended where the code is used again. */
    session_id: string | null;
  };
}
