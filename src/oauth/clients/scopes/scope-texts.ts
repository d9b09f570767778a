/** The built-in scopes in words, as the end of "It asks to …", for the consent page. */
export const ownScopeTexts: Readonly<Record<string, string>> = {
  '*': 'Do everything that you can do here',
  admin: 'Act with your roles: see, change and delete everything of everybody',
  openid: 'Know who you are: the id of your account',
  profile: 'See your name and your username',
  email: 'See your email address',
  phone: 'See your phone number',
  address: 'See your postal address',
  offline_access: 'Keep its access while you are away',
  'tokens:introspect': 'Check anybody’s tokens: whether they are valid and what they allow',
  'tokens:exchange': 'Pass tokens that it receives on to other services',
  'users:read': 'Read your account: your name, your addresses and your roles',
  'users:write': 'Change your account',
  'roles:read': 'Read which roles there are',
  'roles:write': 'Change which roles there are',
  'clients:read': 'See which applications you have created',
  'clients:write': 'Create, change and delete applications in your name',
  'tokens:read': 'See where you are signed in',
  'tokens:write': 'Sign you out, and create access tokens in your name',
  'consents:read': 'See which applications you have authorised, and for what',
  'consents:write': 'Withdraw the access that you gave to applications',
  'events:read': 'See what happened to your account',
  'events:write': 'Change what happened to your account',
};

/** The two scopes of a resource, from what its declaration calls its rows. */
export const resourceScopeTexts = (label: string) => ({
  read: `Read your ${label}`,
  write: `Add, change and delete your ${label}`,
});

/** A scope that nobody described: its name is all that is known. */
export const undescribedScope = (scope: string): string => `Use “${scope}”`;
