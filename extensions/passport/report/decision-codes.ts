/** The decisions that `--accept` settles, each with what it means to accept it. */
export const acceptable = {
  'bad-email': 'users whose email is no address have none here',
  'changed-in-both': 'users who were changed there and here stay as they are here',
  'client-id': 'clients whose id is taken here are not imported',
  'client-limits': 'password clients may ask for every scope',
  'client-scopes': 'clients without scopes get no token with scopes',
  'client-secret': 'clients with an unknown form of secret get new secrets here',
  'encrypted-columns': 'values that APP_KEY does not open are left out',
  'empty-scopes': 'tokens without scopes may do nothing',
  'field-values': 'values that a declared field does not take are left out',
  'gone-and-changed': 'users who are gone there and were changed here stay',
  identities: 'sign-ins through these providers are not imported',
  'lock-columns': 'users who look locked there can sign in here',
  'other-factors': 'second factors that cannot be imported are lost',
  'permission-names': 'permissions that --map does not name stand for no scope',
  'redirect-uris': 'redirect URIs that are not possible here are left out',
  'refreshed-here': 'logins that were revoked there after they went on here stay',
  'role-columns': 'no roles are imported',
  'role-guards': 'roles of other guards are not imported',
  'role-models': 'roles of other models are not imported',
  'role-names': 'roles that are not in ROLES are not imported',
  'role-scopes': 'roles have the scopes that ROLE_SCOPES says',
  'same-identifier': 'the second user with the same email, username or phone has none',
  'scope-names': 'scopes that mean nothing here are dropped',
  'two-factor': 'authenticator apps that cannot be imported are lost',
  'unreadable-scopes': 'tokens whose scopes cannot be read have none',
} as const;

/** The others are no choice: the cause has to be removed, or another option given. */
export type DecisionCode = keyof typeof acceptable | 'many-gone' | 'missing-table';

export const isAcceptable = (code: string): code is keyof typeof acceptable => Object.hasOwn(acceptable, code);
