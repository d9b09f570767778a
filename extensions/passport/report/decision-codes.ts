/** The decisions that `--accept` settles, with the meaning of each. */
export const acceptable = {
  'bad-email': 'users with an invalid email have no email in Gatehouse',
  'changed-in-both': 'users who were changed in both services keep their version in Gatehouse',
  'client-id': 'clients whose id is already taken are not imported',
  'client-limits': 'password clients may request every scope',
  'client-scopes': 'clients without scopes get no token with scopes',
  'client-secret': 'clients with an unknown secret format get new secrets',
  'encrypted-columns': 'values that APP_KEY cannot decrypt are omitted',
  'empty-scopes': 'tokens without scopes may do nothing',
  'field-values': 'values that a declared field does not accept are omitted',
  'gone-and-changed': 'users who were deleted in the old service and changed in Gatehouse stay',
  identities: 'sign-ins through these providers are not imported',
  'lock-columns': 'users who look locked in the old service can sign in',
  'other-factors': 'second factors that cannot be imported are lost',
  'permission-names': 'permissions that --map does not name give no scope',
  'redirect-uris': 'redirect URIs that Gatehouse does not allow are omitted',
  'refreshed-here': 'logins that were revoked in the old service after a refresh in Gatehouse stay',
  'role-columns': 'no roles are imported',
  'role-guards': 'roles of other guards are not imported',
  'role-models': 'roles of other models are not imported',
  'role-names': 'roles that are not in ROLES are not imported',
  'role-scopes': 'roles have the scopes of ROLE_SCOPES',
  'same-identifier': 'the second user with the same email, username or phone loses it',
  'scope-names': 'scopes that do not exist in Gatehouse are dropped',
  'two-factor': 'authenticator apps that cannot be imported are lost',
  'unreadable-scopes': 'tokens whose scopes cannot be read have none',
} as const;

/** The other codes cannot be accepted: the cause must be removed, or another option given. */
export type DecisionCode = keyof typeof acceptable | 'many-gone' | 'missing-table' | 'providers';

export const isAcceptable = (code: string): code is keyof typeof acceptable => Object.hasOwn(acceptable, code);
