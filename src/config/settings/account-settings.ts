import { email, flag, integer, list, oneOf, text, texts, view, where } from './setting.ts';

const roleName = /^[a-z][a-z0-9_-]{0,31}$/i;

/** People, and how they come in. */
export const accountSettings = {
  adminEmail: email('ADMIN_EMAIL', 'admin@localhost', 'the first administrator'),
  adminPassword: text(
    'ADMIN_PASSWORD',
    '',
    "the first administrator's password; unset: a random one, which stands in DATA_DIR/first-password, and on a terminal, until the first sign-in",
    {
      takes: 'at least 8 characters',
      pattern: /^.{8,}$/s,
      secret: true,
    },
  ),
  // With none of them nobody could log in.
  loginAttributes: where(
    list<'email' | 'username' | 'phone'>(
      'LOGIN_ATTRIBUTES',
      ['email'],
      'what a user can log in with',
      'a list of email, username, phone',
      (item) => ['email', 'username', 'phone'].includes(item),
    ),
    (attributes) => attributes.length > 0,
  ),
  registration: oneOf(
    'REGISTRATION',
    ['open', 'closed'],
    'open',
    'whether people can register themselves; closed: administrators make users',
  ),
  registrationLimit: integer(
    'REGISTRATION_LIMIT',
    200,
    'users that one network may register in an hour; 0: any number',
    0,
    10_000_000,
  ),
  requireEmailConfirmation: flag(
    'REQUIRE_EMAIL_CONFIRMATION',
    false,
    'whether an unconfirmed user is refused at login',
  ),
  loginPageUrl: view('LOGIN_PAGE_URL', 'login', 'the view that people without a session are sent to'),
  roles: list<string>(
    'ROLES',
    ['admin'],
    'the roles that a user can have; admin always exists',
    'a list of role names (letters, digits, - and _)',
    (item) => roleName.test(item),
  ),
  roleScopes: texts(
    'ROLE_SCOPES',
    'the scopes that users with a role are limited to; *: every user; administrators and users with other roles are not limited',
    'roles with their scopes, as editor=orders:read orders:write; viewer=orders:read',
    (role, scopes) =>
      role !== 'admin' && (role === '*' || roleName.test(role)) && /^[\x21\x23-\x5b\x5d-\x7e ]*$/.test(scopes),
  ),
} as const;
