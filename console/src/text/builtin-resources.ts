/** Whole sentences, because the position and form of the word differ between languages. */
export const removals = {
  Delete: {
    ...{ word: 'Delete', one: 'Delete {thing} “{row}”?', ask: 'Delete {what}?', all: 'Delete {what}' },
    ...{ doing: 'Deleting {what}', done: '{what} deleted' },
  },
  Revoke: {
    ...{ word: 'Revoke', one: 'Revoke {thing} “{row}”?', ask: 'Revoke {what}?', all: 'Revoke {what}' },
    ...{ doing: 'Revoking {what}', done: '{what} revoked' },
  },
  Withdraw: {
    ...{ word: 'Withdraw', one: 'Withdraw {thing} “{row}”?', ask: 'Withdraw {what}?', all: 'Withdraw {what}' },
    ...{ doing: 'Withdrawing {what}', done: '{what} withdrawn' },
  },
};

/** How the console presents a built-in resource, in addition to its description. */
interface Presentation {
  /** The plural name of its rows, if it differs from the name of the resource. */
  label?: string;
  columns: string[];
  /** The resource is not in the menu. It is reached from the rows to which it belongs. */
  unlisted?: true;
  /** The verb for removing a row. */
  remove?: keyof typeof removals;
  removeWarning?: string;
  empty?: string;
  /** The first steps, shown while the list is empty. */
  steps?: readonly string[];
  /** The help below a field's control, in place of the API's description. */
  help?: Record<string, string | { ofNew: string; ofKept: string }>;
  /** Fields that only rows with this value have. */
  only?: { field: string; value: string; fields: readonly string[] };
}

/** The built-in resources, in the order of the menu. */
export const builtinResources: Readonly<Record<string, Presentation>> = {
  users: {
    columns: ['person', 'email', 'roles', 'status', 'last_sign_in', 'created_at'],
    help: {
      password: {
        ofNew: 'At least 8 characters. The person can change it later.',
        ofKept: 'At least 8 characters. Leave it empty to keep the current password.',
      },
      current_password: 'Only to change your own password, email, username or phone.',
      username: '3 to 32 letters, digits, dots, dashes and underscores, starting with a letter.',
      phone: 'With its country code, such as +44.',
      locale: 'The language of pages and email, such as en. Empty means the language of the browser.',
      disabled: 'The person can no longer sign in. All sessions end; tokens and applications stop working.',
    },
    removeWarning: 'All sessions and applications end at once. Only the audit trail remains. This cannot be undone.',
  },
  roles: {
    columns: ['name', 'description', 'created_at'],
    empty: 'There are no roles besides the built-in ones yet.',
  },
  clients: {
    columns: ['name', 'type', 'registration', 'user_id', 'scopes', 'created_at'],
    removeWarning: 'Every token that was issued to this client stops working at once.',
    only: {
      field: 'type',
      value: 'application',
      fields: [
        ...['public', 'redirect_uris', 'post_logout_redirect_uris', 'homepage_uri', 'logo_uri'],
        ...['backchannel_logout_uri', 'trusted', 'registration', 'tos_uri', 'policy_uri', 'require_pkce'],
        ...['id_token_signed_response_alg', 'id_token_claims', 'default_max_age', 'token_endpoint_auth_method'],
        ...['jwks', 'jwks_uri', 'require_pushed_authorization_requests', 'require_signed_request_object'],
        ...['dpop_bound_access_tokens', 'fapi'],
      ],
    },
    help: {
      type: 'People sign in to an application. A personal client acts on its own, in its owner’s name. A password client is one of your own apps.',
      user_id: 'The owner of a personal client or an application.',
      scopes: {
        ofNew: 'The scopes that it may request. An application without scopes may request those of OpenID Connect.',
        ofKept: 'The scopes that it may request. If you remove a scope, its tokens lose it at once.',
      },
      public: 'It has no secret: it runs in a browser, on a phone or on a desktop.',
      redirect_uris: 'Where people return to, exactly as the application sends it.',
      post_logout_redirect_uris: 'Where people may be sent after they sign out.',
      homepage_uri: 'Shown to people who sign in.',
      logo_uri: 'The https address of a picture.',
      backchannel_logout_uri: 'Called when somebody signs out.',
      trusted: 'People are not asked for their consent.',
    },
  },
  consents: {
    columns: ['user_id', 'client_id', 'scopes', 'created_at'],
    remove: 'Withdraw',
    removeWarning: 'The application is signed out of this account at once, and has to ask again.',
    empty: 'No applications have been authorized yet.',
    steps: [
      'Create a client of the type “application”, with the address that people return to.',
      'Enter its client ID and secret in your application.',
      'Sign in to your application. Its consents then appear here.',
    ],
  },
  tokens: {
    label: 'Sessions & tokens',
    columns: ['user_id', 'type', 'name', 'client_id', 'last_used_at', 'address', 'created_at'],
    remove: 'Revoke',
    help: { expires_at: 'Leave it empty for the default lifetime.' },
    removeWarning: 'It stops working with the next request.',
    empty: 'Nobody is signed in, and there is no personal access token.',
  },
  events: {
    columns: ['type', 'created_at', 'user_id', 'client_id', 'address'],
    empty: 'Nothing has happened yet.',
  },
  webhooks: {
    columns: ['url', 'resources', 'operations', 'active', 'user_id', 'created_at'],
    empty: 'No webhooks yet.',
    steps: [
      'Create a webhook with the https address of your receiver, and choose which changes it gets.',
      'Copy the secret. It is shown once.',
      'Send a ping from the page of the webhook. It also shows how to verify the signature.',
    ],
    removeWarning: 'Nothing more is delivered to it. Its deliveries are deleted with it.',
    help: {
      url: 'Where changes are sent, as signed POST requests.',
      resources: 'The resources whose changes are sent.',
      operations: 'Which changes are sent. Leave it empty for all.',
      search: 'Only rows that match, such as kind:van. Leave it empty for all rows.',
      active: 'Nothing is sent while this is off.',
      signature: 'hmac: a shared secret. ed25519: you verify with a public key.',
    },
  },
  'webhook-deliveries': {
    label: 'Deliveries',
    columns: ['created_at', 'webhook_id', 'resource', 'operation', 'state', 'response_status', 'attempts'],
    empty: 'Nothing has been delivered yet.',
    unlisted: true,
  },
  passkeys: {
    columns: ['name', 'user_id', 'last_used_at', 'created_at'],
    empty: 'Nobody has a passkey yet. People add their own under Account settings, Security.',
  },
  authenticators: {
    label: 'Authenticator apps',
    columns: ['name', 'user_id', 'last_used_at', 'created_at'],
    empty: 'Nobody has an authenticator app yet. People add their own under Account settings, Security.',
  },
  browsers: {
    label: 'Remembered browsers',
    columns: ['user_agent', 'user_id', 'last_used_at', 'created_at'],
    unlisted: true,
  },
  providers: {
    label: 'Identity providers',
    columns: ['label', 'issuer', 'enabled', 'last_success_at', 'last_failure_at', 'failure', 'secret_expires_at'],
  },
  identities: {
    label: 'External identities',
    columns: ['provider', 'user_id', 'email', 'last_used_at', 'created_at'],
    unlisted: true,
  },
  'queued-jobs': {
    label: 'Queue',
    columns: ['name', 'subject', 'state', 'attempts', 'next_attempt_at', 'last_error'],
    removeWarning: 'The job will not run any more.',
    empty: 'Nothing is waiting, and nothing has failed.',
    steps: [
      'Emails and jobs wait here until they are done.',
      'A failed job is retried later. After its last attempt, it stays here.',
      'Open it to see the error, and choose “Try it again now”.',
    ],
  },
  'scheduled-jobs': {
    columns: ['name', 'schedule', 'time_zone', 'next_run_at', 'last_run_at', 'last_state'],
    empty: 'No job has a schedule.',
    steps: [
      'Write a file in the jobs folder, such as jobs/clean-up.ts.',
      'Give the job a schedule, such as “0 3 * * *” for every night at three.',
      'Restart the service. The job and its runs then appear here.',
    ],
  },
  'job-runs': {
    columns: ['job_id', 'state', 'scheduled_for', 'started_at', 'finished_at', 'error'],
    empty: 'No scheduled job has run yet.',
  },
  'mcp-calls': {
    label: 'AI applications',
    columns: ['application', 'day', 'calls', 'last_tool', 'last_call_at'],
    empty: 'No AI application has used this service yet.',
    steps: [
      'Copy this address.',
      'Add it to your AI application as an MCP server or connector.',
      'Sign in when the application asks. Its calls then appear here.',
    ],
  },
};
