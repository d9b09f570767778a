import type { FastifyReply } from 'fastify';
import { message } from '../../config/languages/message.ts';
import { requireOpenRegistration } from '../../identity/registration/store-new-user.ts';
import { findDestination } from '../authorize/destinations.ts';
import { filledFields, identifierFields, type RejectedForm } from '../kit/identifiers.ts';
import type { PageKit, PageRequest } from '../kit/page-request.ts';
import type { Variables } from '../kit/views.ts';
import { localPath, nextQuery } from '../session/local-path.ts';
import type { AfterLogin } from './sign-in.ts';

export function serveRegister(kit: PageKit): void {
  kit.page('/register', 'public', async (pageRequest) => {
    requireOpenRegistration(kit.config);
    const next = localPath(pageRequest.query.next);
    const destination = await findDestination(kit.oauth, next);
    const caller = await pageRequest.findCaller();
    if (caller && (!destination || (await destination.accepts(caller))))
      return pageRequest.redirect(next ?? '/settings');
    return showRegister(pageRequest, { next, destination }, {});
  });
  kit.form('/register', 'public', async (pageRequest) => {
    requireOpenRegistration(kit.config);
    return register(pageRequest);
  });
}

async function showRegister(pageRequest: PageRequest, { next, destination }: AfterLogin, typed: RejectedForm) {
  const identifiers = filledFields(pageRequest.kit.config, typed.values ?? {}, typed.errors ?? {});
  const application = destination?.application;
  const shared: Variables = {
    title: message('register.title'),
    next,
    next_query: nextQuery(next),
    identifiers,
    application,
    providers: await pageRequest.kit.providers.buttons(),
  };
  return pageRequest.show('register', { ...shared, ...typed }, destination);
}

async function register(pageRequest: PageRequest): Promise<FastifyReply> {
  const form = pageRequest.form('name', 'email', 'username', 'phone', 'password', 'password_confirmation', 'next');
  const { password, password_confirmation, next: requested, ...values } = form;
  const next = localPath(requested);
  const offered = new Set(['name', ...identifierFields(pageRequest.kit.config).map(({ name }) => name)]);
  const filled = Object.entries(values).filter(([name, value]) => offered.has(name) && value !== '');
  const twice = password_confirmation === '' ? {} : { password_confirmation };
  const body = { ...Object.fromEntries(filled), password, ...twice };
  const response = await pageRequest.call('POST', '/v1/register', body);
  if (!response.ok) {
    const atFields = Object.keys(response.errors).length > 0;
    const going = { next, destination: await findDestination(pageRequest.kit.oauth, next) };
    return showRegister(pageRequest.statusOf(response), going, {
      values,
      errors: response.errors,
      ...(atFields ? {} : { problem: response.message }),
    });
  }
  const login = pageRequest.kit.config.loginAttributes.map((name) => values[name]).find((value) => value !== '');
  const signedIn = login ? await pageRequest.kit.client.send(pageRequest, { username: login, password }) : undefined;
  if (!signedIn?.ok)
    return pageRequest.redirect(`${pageRequest.kit.loginPath}?done=registered${nextQuery(next).replace('?', '&')}`);
  pageRequest.kit.cookies.setSession(pageRequest.reply, signedIn.data);
  return pageRequest.redirect(next ?? '/settings?done=welcome');
}
