import type { FastifyReply, FastifyRequest } from 'fastify';
import { identifierFields } from './identifiers.ts';
import { type PageKit, readForm } from './page-kit.ts';
import { filledFields } from './register-page.ts';
import { asPerson, currentUser, refusal, showSettings } from './settings-shell.ts';

export function serveProfile(kit: PageKit): void {
  kit.page('/settings', 'auth:web', (request, reply) => showProfile(kit, request, reply));
  kit.form('/settings', 'auth:web', (request, reply) => saveProfile(kit, request, reply));
  kit.page('/settings/password', 'auth:web', (request, reply) => showPassword(kit, request, reply, {}));
  // Where password managers look for it (W3C, "A Well-Known URL for Changing Passwords").
  kit.page('/.well-known/change-password', 'public', (_request, reply) => kit.go(reply, '/settings/password'));
  kit.form('/settings/password', 'auth:web', (request, reply) => changePassword(kit, request, reply));
}

interface Typed {
  readonly values?: Readonly<Record<string, string>>;
  readonly errors?: Readonly<Record<string, string>>;
  readonly problem?: string;
}

async function showProfile(
  kit: PageKit,
  request: FastifyRequest,
  reply: FastifyReply,
  typed: Typed = {},
): Promise<FastifyReply> {
  const user = await currentUser(kit, request);
  const stored = { name: user.name, email: user.email, username: user.username, phone: user.phone };
  const values = { ...stored, ...typed.values };
  return showSettings(kit, request, reply, 'profile', 'settings-profile', {
    ...typed,
    title: 'Profile',
    user,
    values,
    identifiers: filledFields(kit, values, typed.errors ?? {}),
    unconfirmed_email: user.email_confirmed ? null : user.email,
  });
}

async function saveProfile(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const names = ['name', ...identifierFields(kit.config).map(({ name }) => name)];
  const values = readForm(request, ...names);
  const body = Object.fromEntries(names.map((name) => [name, values[name] === '' ? null : values[name]]));
  const answer = await asPerson(request, 'PATCH', `/v1/users/${request.caller.userId}`, body);
  if (answer.ok) return kit.go(reply, '/settings?done=profile-saved');
  return showProfile(kit, request, reply.code(answer.status), { values, ...refusal(answer, names) });
}

const showPassword = (kit: PageKit, request: FastifyRequest, reply: FastifyReply, variables: object) =>
  showSettings(kit, request, reply, 'password', 'settings-password', { title: 'Password', ...variables });

async function changePassword(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const body = readForm(request, 'current_password', 'password');
  const answer = await asPerson(request, 'PATCH', `/v1/users/${request.caller.userId}`, body);
  if (answer.ok) return kit.go(reply, '/settings/password?done=password-changed');
  return showPassword(kit, request, reply.code(answer.status), refusal(answer, ['current_password', 'password']));
}
