/** Tables of applications that people sign in to from elsewhere. */
export interface ApplicationTables {
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
  /** Applications that nobody here made. */
  client_registrations: {
    client_id: string;
    /** It registered itself, or its own address describes it. */
    kind: 'dynamic' | 'document';
    /** SHA-256 of what manages the registration. */
    token_hash: string | null;
    /** JSON of what no column of the client has. */
    metadata: string;
    /** When a description must be fetched again. */
    fresh_until: number | null;
    created_at: number;
    /** Exact to the day. */
    last_used_at: number;
  };
}
