const factorTables = [
  ...['passkeys', 'passkey_handles', 'authenticators', 'recovery_codes', 'email_codes', 'remembered_browsers'],
  ...['spent_values', 'identity_sessions'],
];

/** The folder that writes each table. Other folders read the table, or call that folder. */
export const tableOwners = new Map(
  Object.entries({
    identity: [
      ...['users', 'roles', 'email_changes', 'one_time_tokens', 'known_devices', 'user_time_zones', 'throttles'],
      ...factorTables,
    ],
    oauth: [
      ...['clients', 'client_secrets', 'sessions', 'application_logins'],
      ...['consents', 'authorization_codes', 'used_proofs', 'pushed_requests'],
    ],
    resources: ['events', 'known_settings', 'queued_jobs'],
    database: ['signing_keys', 'issuers'],
    'extensions/activity': ['activity'],
    'extensions/changes': ['change_log', 'change_history', 'change_tickets', 'webhooks', 'webhook_deliveries'],
    'extensions/client-registration': ['client_registrations', 'registration_tokens'],
    'extensions/device-authorization': ['device_authorizations'],
    'extensions/jobs': ['scheduled_jobs', 'job_runs'],
    'extensions/mcp': ['mcp_calls'],
    'extensions/migrations': ['resource_schemas', 'operator_migrations'],
    'extensions/passport': ['legacy_ids', 'legacy_keys', 'legacy_passes', 'legacy_tokens'],
    'extensions/providers': ['identities', 'providers', 'provider_attempts', 'pending_identities'],
  }).flatMap(([folder, tables]) => tables.map((table) => [table, folder] as const)),
);

/** Stores that write tables of another folder, and the reason. */
export const otherWriters = new Map([
  ['resources/queue/queued-run-store.ts', 'ends or reopens a run when its queued job is deleted or retried'],
  ['resources/disable-webhooks-store.ts', 'disables webhooks when a password changes or keys are compromised'],
  ['identity/accounts/forget-user-store.ts', 'removes a deleted user from the audit trail and from queued mail'],
  ['extensions/admin-commands/replaced-keys-store.ts', 'ends the keys that the operator has replaced'],
  ['extensions/openid-logout/failed-notice-store.ts', 'deletes failed notices to an application that later gets one'],
  ['extensions/passport/import/client-target-store.ts', 'imports tables of another service'],
  ['extensions/passport/import/logins/login-store.ts', 'imports tables of another service'],
  ['extensions/passport/import/users/user-target-store.ts', 'imports tables of another service'],
  ['extensions/passport/legacy-tokens/legacy-token-store.ts', 'ends sessions with the imported tokens'],
]);
