import type { Generated } from 'kysely';
import type { JsonText } from '../../platform/json-text.ts';
import type { ApplicationTables } from './application-tables.ts';
import type { AuthorizationTables } from './authorization-tables.ts';
import type { ChangeTables } from './change-tables.ts';
import type { FactorTables } from './factor-tables.ts';
import type { IdentityTables } from './identity-tables.ts';

/** The tables of the service. Times are milliseconds since 1970, flags are 0 or 1, lists and objects are JSON text. */
export interface Tables extends ApplicationTables, AuthorizationTables, ChangeTables, FactorTables, IdentityTables {
  migrations: { name: string; applied_at: number };
  /** Counts of events per hour. */
  activity: { hour: number; kind: string; count: number };
  operator_migrations: { name: string; applied_at: number };
  /** The last declaration of each resource that the database was brought to. */
  resource_schemas: { name: string; declaration: string; updated_at: number };
  users: {
    id: string;
    /** In the form of `normaliseEmail`. A user has an email, a username or a phone. */
    email: string | null;
    username: string | null;
    /** E.164. */
    phone: string | null;
    name: string | null;
    password_hash: string;
    email_confirmed: number;
    /** JSON list of role names. */
    roles: JsonText<string[]>;
    /** 1: cannot sign in, as with a wrong password. */
    disabled: Generated<number>;
    /** BCP 47: the language that the user has chosen. */
    locale: Generated<string | null>;
    /** The set of people that the user belongs to. A client with a realm signs in nobody else. */
    realm: Generated<string>;
    created_at: number;
    updated_at: number;
    version: number;
  };
  /** A user's own change of email: it waits for the new address to be confirmed, and the old one can undo it. */
  email_changes: {
    id: string;
    user_id: string;
    old_email: string | null;
    /** Null: the address was removed. */
    new_email: string | null;
    created_at: number;
    confirmed_at: number | null;
    /** When it was cancelled or replaced: it cannot be confirmed any more. */
    withdrawn_at: number | null;
    undone_at: number | null;
    /** Until then the old address is reserved, and its link undoes the change. */
    undo_until: number;
  };
  /** Browsers that logged in to an account before. OWASP calls their cookie a device cookie. */
  known_devices: {
    user_id: string;
    /** A hash: nothing of the browser can be read from it. */
    fingerprint: string;
    first_seen_at: number;
    last_seen_at: number;
  };
  /** The time zone that a user's browser named at the last sign-in. */
  user_time_zones: { user_id: string; time_zone: string };
  /** The names that the setting ROLES has, and admin. */
  roles: { id: string };
  client_secrets: {
    id: string;
    client_id: string;
    /** HMAC-SHA256 of the secret under a server key, base64url. */
    secret_hash: string;
    key_id: string | null;
    /** SHA-256, by which a reported secret is found; null for secrets that somebody chose. */
    value_hash: Generated<string | null>;
    created_at: number;
    /** Null for the current secret; a replaced one may live some hours more. */
    expires_at: number | null;
  };
  /** One row per login: of a user through a client, of a client, or a personal access token. */
  sessions: {
    id: string;
    type: 'session' | 'personal';
    user_id: string | null;
    client_id: string | null;
    name: string | null;
    /** JSON list. */
    scopes: JsonText<string[]>;
    generation: Generated<number>;
    rotated_at: number | null;
    /** The address that sent the refresh of this generation. `address` changes with each use. */
    rotated_address: string | null;
    /** The newest generation whose tokens are known to have arrived, and when they were first used. */
    used_generation: number | null;
    used_at: number | null;
    /** The newest generation that another device's retry was recorded of. */
    retried_generation: number | null;
    created_at: number;
    /** When the refresh token ends (sessions), or the access token itself (personal). */
    expires_at: number;
    revoked_at: number | null;
    /** Null until the value of a personal access token was shown, which happens once. */
    revealed_at: number | null;
    last_used_at: number | null;
    address: string | null;
    user_agent: string | null;
    /** When and how the user authenticated. */
    auth_time: Generated<number | null>;
    /** JSON list (RFC 8176). */
    amr: Generated<JsonText<string[]> | null>;
    acr: Generated<string | null>;
    /** JSON list of the audiences that access tokens may be for (RFC 8707); null: the service itself. */
    resource: Generated<JsonText<string[]> | null>;
    /** JSON of `GrantDetails`: what an application was given beyond scopes. */
    details: Generated<string | null>;
    /** SHA-256 of the value of a personal access token; null until it was shown, and for sessions. */
    token_hash: Generated<string | null>;
    version: Generated<number>;
  };
  /** The applications that a user is signed in to. A row may outlive the session of the application. */
  application_logins: {
    /** The application's session, which ID tokens and logout tokens name as `sid`. */
    session_id: string;
    /** The browser's session that it began with; null for a device without one. */
    login_id: string | null;
    user_id: string;
    client_id: string;
    created_at: number;
  };
  signing_keys: {
    id: string;
    /** `sign` holds a key pair; `mac` the symmetric server keys. */
    purpose: 'sign' | 'mac';
    /** `id_token`: signs ID tokens with RS256. Null: signs access tokens, or makes MACs. */
    signs: Generated<'id_token' | null>;
    algorithm: string;
    public_jwk: string | null;
    sealed_private: string;
    created_at: number;
    signs_from: number;
    /** Set by the next rotation. Its tokens have expired then. */
    retires_at: number | null;
  };
  /** On PostgreSQL: the instances that listen to invalidations. Their ids are secret: only this table has them. */
  instances: { id: string; snapshot: string; renewals: number };
  /** On SQLite: invalidations between the processes that share the file, in commit order. */
  invalidations: { id: Generated<number>; changes: string };
  /** Every BASE_URL of this service. Tokens of each are valid at all of them. */
  issuers: { url: string; created_at: number };
  /** Links in mail. The value is the id and its MAC, so that nothing usable is stored. */
  one_time_tokens: {
    id: string;
    purpose: 'confirm_email' | 'reset_password';
    user_id: string;
    /** The address it was sent to: a changed address voids it. */
    email: string;
    created_at: number;
    expires_at: number;
    used_at: number | null;
  };
  /** Work that must happen: one row until it is done. */
  queued_jobs: {
    id: string;
    name: string;
    /** Searchable, such as the address of a mail. Never a secret. */
    subject: string | null;
    /** JSON, or sealed JSON. */
    data: string;
    attempts: number;
    next_attempt_at: number;
    /** The running attempt. No other starts before `leased_until`. */
    lease: string | null;
    leased_until: number | null;
    failed_at: number | null;
    last_error: string | null;
    created_at: number;
  };
  scheduled_jobs: {
    /** The name of the job. */
    id: string;
    schedule: string;
    time_zone: string;
    next_run_at: number;
    last_run_at: number | null;
    last_state: string | null;
    created_at: number;
  };
  /** Runs of scheduled jobs. The id is that of the queued job. */
  job_runs: {
    id: string;
    job_id: string;
    /** Null for a run that somebody asked for. */
    scheduled_for: number | null;
    state: string;
    attempts: number;
    started_at: number | null;
    finished_at: number | null;
    error: string | null;
    created_at: number;
  };
  /** How often each application used a tool at /mcp, day by day. */
  mcp_calls: {
    id: string;
    client_id: string;
    /** Its name at the last call. */
    application: string;
    /** `YYYY-MM-DD`, in UTC. */
    day: string;
    calls: number;
    last_tool: string;
    last_call_at: number;
  };
  /** Counts of limited actions, shared by all instances. */
  throttles: {
    key: string;
    count: number;
    expires_at: number;
    /** Attempts whose result is not known yet. */
    pending: Generated<number>;
    /** When those attempts are dropped, because their process must have crashed. */
    pending_until: Generated<number>;
  };
  events: {
    id: string;
    type: string;
    user_id: string | null;
    client_id: string | null;
    session_id: string | null;
    /** The user who did it, if that is not the subject. */
    actor_id: string | null;
    address: string | null;
    user_agent: string | null;
    request_id: string | null;
    /** Which row of a resource it is about. */
    row_id: string | null;
    /** JSON, never a secret. */
    data: string;
    created_at: number;
  };
  /** The settings at the last start. Of secrets, only whether they are set. */
  known_settings: { name: string; value: string };
  idempotency_keys: {
    /** Caller, method, path and the caller's key, hashed. */
    id: string;
    body_hash: string;
    /** Null while the first request is under way. */
    status: number | null;
    headers: string | null;
    body: string | null;
    created_at: number;
  };
  /** Keys that decrypt and verify the tokens of an imported service. They are deleted when the last token has expired. */
  legacy_keys: { id: 'public' | 'app' | 'ids'; sealed: string; created_at: number };
  /** The valid tokens of that service. All others are refused. An access token has the id of its session, from its `jti`. */
  legacy_tokens: {
    id: string;
    session_id: string;
    expires_at: number;
    pass: number;
    /** When the import ended it, and may restore it; 0: its login ended here, for good. Null: it counts. */
    ended_at: Generated<number | null>;
  };
  /** The users and clients of the imported service, and their ids here. */
  legacy_ids: {
    source: string;
    old_id: string;
    new_id: string;
    /** Of the imported row, and the version of its row here: shows later changes on both sides. */
    fingerprint: string;
    version: number;
    pass: number;
  };
  /** One row for each run of the import. */
  legacy_passes: { id: number; started_at: number; finished_at: number | null; report: string | null };
}
