import type { FastifyReply } from 'fastify';
import { type LocalizedText, message } from '../../config/languages/message.ts';
import { requireOpenRegistration } from '../../identity/registration/store-new-user.ts';
import { identifierFields } from '../kit/identifiers.ts';
import type { Variables } from '../kit/views.ts';
import type { PageKit, Visit } from '../kit/visit.ts';
import { callApi } from '../session/call-api.ts';
import { localPath, nextQuery } from '../session/local-path.ts';
import type { ProviderServices } from './provider-services.ts';
import type { AfterLogin } from './sign-in.ts';

export function serveRegister(kit: PageKit, services: ProviderServices): void {
  const { findDestination } = services;
  kit.page('/register', 'public', async (visit) => {
    requireOpenRegistration(kit.config);
    const next = localPath(visit.query.next);
    const destination = await findDestination(next);
    const caller = await visit.findCaller();
    if (caller && (!destination || (await destination.accepts(caller)))) return visit.redirect(next ?? '/settings');
    return showRegister(visit, services, { next, destination }, {});
  });
  kit.form('/register', 'public', async (visit) => {
    requireOpenRegistration(kit.config);
    return register(visit, services);
  });
}

interface Typed {
  readonly values?: Readonly<Record<string, string>>;
  readonly errors?: Readonly<Record<string, LocalizedText>>;
  readonly problem?: LocalizedText;
}

async function showRegister(
  visit: Visit,
  services: ProviderServices,
  { next, destination }: AfterLogin,
  typed: Typed,
): Promise<FastifyReply> {
  const identifiers = filledFields(visit.kit, typed.values ?? {}, typed.errors ?? {});
  const application = destination?.application;
  const shared: Variables = {
    title: message('register.title'),
    next,
    next_query: nextQuery(next),
    identifiers,
    application,
    providers: await services.providers.buttons(),
  };
  return visit.show('register', { ...shared, ...typed }, destination);
}

/** The identifier fields, with their typed values and errors. */
export const filledFields = (
  { config }: PageKit,
  values: Readonly<Record<string, string | null>>,
  errors: Readonly<Record<string, LocalizedText>>,
) => identifierFields(config).map((field) => ({ ...field, value: values[field.name], error: errors[field.name] }));

async function register(visit: Visit, services: ProviderServices): Promise<FastifyReply> {
  const form = visit.form('name', 'email', 'username', 'phone', 'password', 'password_confirmation', 'next');
  const { password, password_confirmation, next: asked, ...values } = form;
  const next = localPath(asked);
  const offered = new Set(['name', ...identifierFields(visit.kit.config).map(({ name }) => name)]);
  const given = Object.entries(values).filter(([name, value]) => offered.has(name) && value !== '');
  const twice = password_confirmation === '' ? {} : { password_confirmation };
  const body = { ...Object.fromEntries(given), password, ...twice };
  const answer = await callApi(visit.request, { method: 'POST', path: '/v1/register', body });
  if (!answer.ok) {
    const atFields = Object.keys(answer.errors).length > 0;
    const going = { next, destination: await services.findDestination(next) };
    return showRegister(visit.status(answer.status), services, going, {
      values,
      errors: answer.errors,
      ...(atFields ? {} : { problem: answer.message }),
    });
  }
  const login = visit.kit.config.loginAttributes.map((name) => values[name]).find((value) => value !== '');
  const signedIn = login ? await visit.kit.client.send(visit, { username: login, password }) : undefined;
  if (!signedIn?.ok)
    return visit.redirect(`${visit.kit.loginPath}?done=registered${next ? `&next=${encodeURIComponent(next)}` : ''}`);
  visit.kit.cookies.setSession(visit.reply, signedIn.data);
  return visit.redirect(next ?? '/settings?done=welcome');
}
