import type { FastifyReply, FastifyRequest } from 'fastify';
import { type LocalizedText, message } from '../../config/languages/message.ts';
import { requireOpenRegistration } from '../../identity/registration/make-user.ts';
import { identifierFields } from '../kit/identifiers.ts';
import { type PageKit, queryOf, readForm } from '../kit/page-kit.ts';
import type { Variables } from '../kit/views.ts';
import { localPath, nextQuery } from '../session/local-path.ts';
import { callOwnApi } from '../session/own-api.ts';
import type { ProviderMeans } from './provider-means.ts';
import type { Going } from './sign-in.ts';

export function serveRegister(kit: PageKit, means: ProviderMeans): void {
  const { findDestination } = means;
  kit.page('/register', 'public', async (request, reply) => {
    requireOpenRegistration(kit.config);
    const next = localPath(queryOf(request).next);
    const destination = await findDestination(next);
    const caller = await kit.webSessions.find(request, reply);
    if (caller && (!destination || (await destination.accepts(caller)))) return kit.go(reply, next ?? '/settings');
    return showRegister(kit, means, request, reply, { next, destination }, {});
  });
  kit.form('/register', 'public', async (request, reply) => {
    requireOpenRegistration(kit.config);
    return register(kit, means, request, reply);
  });
}

interface Typed {
  readonly values?: Readonly<Record<string, string>>;
  readonly errors?: Readonly<Record<string, LocalizedText>>;
  readonly problem?: LocalizedText;
}

async function showRegister(
  kit: PageKit,
  means: ProviderMeans,
  request: FastifyRequest,
  reply: FastifyReply,
  { next, destination }: Going,
  typed: Typed,
): Promise<FastifyReply> {
  const identifiers = filledFields(kit, typed.values ?? {}, typed.errors ?? {});
  const application = destination?.application;
  const shared: Variables = {
    title: message('register.title'),
    next,
    next_query: nextQuery(next),
    identifiers,
    application,
    providers: await means.providers.buttons(),
  };
  return kit.show(request, reply, 'register', { ...shared, ...typed }, destination);
}

/** The fields that identify a person, with what was typed into them and what is wrong with it. */
export const filledFields = (
  { config }: PageKit,
  values: Readonly<Record<string, string | null>>,
  errors: Readonly<Record<string, LocalizedText>>,
) => identifierFields(config).map((field) => ({ ...field, value: values[field.name], error: errors[field.name] }));

async function register(
  kit: PageKit,
  means: ProviderMeans,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = readForm(request, 'name', 'email', 'username', 'phone', 'password', 'password_confirmation', 'next');
  const { password, password_confirmation, next: asked, ...values } = form;
  const next = localPath(asked);
  const offered = new Set(['name', ...identifierFields(kit.config).map(({ name }) => name)]);
  const given = Object.entries(values).filter(([name, value]) => offered.has(name) && value !== '');
  const twice = password_confirmation === '' ? {} : { password_confirmation };
  const body = { ...Object.fromEntries(given), password, ...twice };
  const answer = await callOwnApi(request, { method: 'POST', path: '/v1/register', body });
  if (!answer.ok) {
    const atFields = Object.keys(answer.errors).length > 0;
    const going = { next, destination: await means.findDestination(next) };
    return showRegister(kit, means, request, reply.code(answer.status), going, {
      values,
      errors: answer.errors,
      ...(atFields ? {} : { problem: answer.message }),
    });
  }
  const login = kit.config.loginAttributes.map((name) => values[name]).find((value) => value !== '');
  const signedIn = login ? await kit.client.send(request, reply, { username: login, password }) : undefined;
  if (!signedIn?.ok)
    return kit.go(reply, `${kit.loginPath}?done=registered${next ? `&next=${encodeURIComponent(next)}` : ''}`);
  kit.cookies.setSession(reply, signedIn.data);
  return kit.go(reply, next ?? '/settings?done=welcome');
}
