import type { Generated } from 'kysely';

/** The tables of second factors. Written as `Tables` are. */
export interface FactorTables {
  passkeys: {
    id: string;
    user_id: string;
    /** As WebAuthn calls it, base64url. */
    credential_id: string;
    /** COSE, base64url. */
    public_key: string;
    counter: number;
    /** JSON list. */
    transports: string;
    name: string;
    /** 1: a password manager may copy it to other devices. */
    backup_eligible: number;
    backed_up: number;
    /** 1: the browser made it by itself after a password login. The password alone still signs in. */
    automatic: number;
    created_at: number;
    last_used_at: number | null;
    version: Generated<number>;
  };
  /** The random name by which passkeys know their user (WebAuthn 14.6.1: nothing about the person can be read from it). */
  passkey_handles: { user_id: string; handle: string };
  authenticators: {
    id: string;
    user_id: string;
    name: string;
    /** Sealed as keys are, bound to the id. */
    sealed_secret: string;
    /** The time step of the last accepted code. It and earlier codes are refused. */
    last_step: Generated<number>;
    created_at: number;
    /** Null until the first code is accepted. */
    confirmed_at: number | null;
    last_used_at: number | null;
    version: Generated<number>;
  };
  /** SHA-256 of the user and 80 random bits. */
  recovery_codes: { user_id: string; hash: string; created_at: number; used_at: number | null };
  /** Codes that were sent by mail. A code follows from the id and a server key, so that nothing usable is stored. */
  email_codes: {
    /** Only the caller who requested the code knows it. */
    id: string;
    email: string;
    attempts: Generated<number>;
    created_at: number;
    expires_at: number;
  };
  /** Browsers that need no second factor until `expires_at`. */
  remembered_browsers: {
    id: string;
    user_id: string;
    /** SHA-256 of the user and of the name that the cookie gives this browser. */
    device_hash: string;
    address: string | null;
    user_agent: string | null;
    created_at: number;
    last_used_at: number;
    expires_at: number;
    version: Generated<number>;
  };
  /** Tokens that the operator made for applications to register themselves with: SHA-256. */
  registration_tokens: { hash: string; created_at: number; expires_at: number };
  /** Signed values that work once and have been used: passkey challenges, and tokens of the second step. */
  spent_values: { id: string; expires_at: number };
}
