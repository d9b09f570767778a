import { email, flag, integer, list, oneOf, text, texts, view } from './setting.ts';

const loginAttributes: readonly string[] = ['email', 'username', 'phone'];
const roleName = /^[a-z][a-z0-9_-]{0,31}$/i;

/** Users and how they sign in. */
export const accountSettings = {
  adminEmail: email('admin@localhost').describe('the email address of the first administrator'),
  adminPassword: text('', 'at least 8 characters', /^.{8,}$/s).describeSecret(
    'the password of the first administrator. Unset: the service generates one. Until the first sign-in it is in DATA_DIR/first-password, and each start in a terminal shows it',
  ),
  loginAttributes: list<'email' | 'username' | 'phone'>(
    ['email'],
    'a list of email, username, phone',
    (item) => loginAttributes.includes(item),
    (items) => items.length > 0,
  ).describe('the identifiers that a user can log in with'),
  registration: oneOf(['open', 'closed'], 'open').describe(
    'whether users can register themselves. closed: only administrators create users',
  ),
  registrationLimit: integer(200, 0, 10_000_000).describe(
    'the number of users that one network can register in an hour. 0 turns the limit off',
  ),
  requireEmailConfirmation: flag(false).describe('whether a user must confirm the email address to log in'),
  loginPageUrl: view('login').describe('the view to which the service redirects users without a session'),
  roles: list<string>(['admin'], 'a list of role names (letters, digits, - and _)', (item) =>
    roleName.test(item),
  ).describe('the roles that a user can have. The role admin always exists'),
  roleScopes: texts(
    'roles with their scopes, such as editor=orders:read orders:write; viewer=orders:read',
    (role, scopes) =>
      role !== 'admin' && (role === '*' || roleName.test(role)) && /^[\x21\x23-\x5b\x5d-\x7e ]*$/.test(scopes),
  ).describe(
    'limits the users with a role to the given scopes. The role * stands for every user. Administrators are not limited. Without *, users with other roles are not limited either',
  ),
} as const;
