import { email, flag, integer, list, oneOf, text, texts, view, withCondition } from './setting.ts';

const roleName = /^[a-z][a-z0-9_-]{0,31}$/i;

/** Users and how they sign in. */
export const accountSettings = {
  adminEmail: email('ADMIN_EMAIL', 'admin@localhost', 'the email address of the first administrator'),
  adminPassword: text(
    'ADMIN_PASSWORD',
    '',
    'the password of the first administrator. Unset: the service generates one. Until the first sign-in it is in DATA_DIR/first-password, and each start in a terminal shows it',
    { expected: 'at least 8 characters', pattern: /^.{8,}$/s, secret: true },
  ),
  loginAttributes: withCondition(
    list<'email' | 'username' | 'phone'>(
      'LOGIN_ATTRIBUTES',
      ['email'],
      'the identifiers that a user can log in with',
      'a list of email, username, phone',
      (item) => ['email', 'username', 'phone'].includes(item),
    ),
    (attributes) => attributes.length > 0,
  ),
  registration: oneOf(
    'REGISTRATION',
    ['open', 'closed'],
    'open',
    'whether people can register themselves. closed: only administrators create users',
  ),
  registrationLimit: integer(
    'REGISTRATION_LIMIT',
    200,
    'the number of users that one network can register in an hour. 0 turns the limit off',
    0,
    10_000_000,
  ),
  requireEmailConfirmation: flag(
    'REQUIRE_EMAIL_CONFIRMATION',
    false,
    'whether a user must confirm the email address to log in',
  ),
  loginPageUrl: view('LOGIN_PAGE_URL', 'login', 'the view to which the service redirects people without a session'),
  roles: list<string>(
    'ROLES',
    ['admin'],
    'the roles that a user can have. The role admin always exists',
    'a list of role names (letters, digits, - and _)',
    (item) => roleName.test(item),
  ),
  roleScopes: texts(
    'ROLE_SCOPES',
    'limits the users with a role to the given scopes. The role * stands for every user. Administrators are not limited. Without *, users with other roles are not limited either',
    'roles with their scopes, such as editor=orders:read orders:write; viewer=orders:read',
    (role, scopes) =>
      role !== 'admin' && (role === '*' || roleName.test(role)) && /^[\x21\x23-\x5b\x5d-\x7e ]*$/.test(scopes),
  ),
} as const;
