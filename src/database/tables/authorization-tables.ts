import type { Generated } from 'kysely';
import type { JsonText } from '../../platform/json-text.ts';

/** The tables of consents and authorization codes. Written as `Tables` are. */
export interface AuthorizationTables {
  consents: {
    id: string;
    user_id: string;
    client_id: string;
    /** JSON lists: what was allowed, and all that was asked for until now. */
    scopes: JsonText<string[]>;
    asked: JsonText<string[]>;
    /** The application's name at the last consent. */
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
    /** The browser session of the user. A code does not outlive it. */
    login_id: string;
    redirect_uri: string;
    /** For S256. Null: none was sent. */
    code_challenge: string | null;
    /** JSON lists: what the application asked for, and what it gets. */
    asked: JsonText<string[]>;
    scopes: JsonText<string[]>;
    nonce: string | null;
    /** JSON list (RFC 8707). */
    resource: JsonText<string[]> | null;
    /** JSON of `GrantDetails`. */
    details: string | null;
    created_at: number;
    expires_at: number;
    used_at: number | null;
    /** The session that the code opened. It is ended if the code is used again. */
    session_id: string | null;
  };
}
