import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Message, message } from '../../config/languages/message.ts';
import { everyScope, type KnownScopes } from '../../oauth/clients/scopes/scopes.ts';
import { type PageKit, readForm } from '../kit/page-kit.ts';
import type { Variables } from '../kit/views.ts';
import { type Application, base, pathOf, showSecret, type WithSecret } from './application-pages.ts';
import { nothingChosen, readScopes, scopeChoices, scopesInWords } from './scope-choices.ts';
import { asPerson, ignoreNotFound, ownRows, refusal, showSettings, wanted } from './settings-shell.ts';
import { serveSignInApplications, showSignInApplication } from './settings-sign-in-applications.ts';

const fields = ['name', 'scopes'];

/** Personal clients, whose secret is shown once, and applications that people sign in to. */
export function serveApplications(kit: PageKit, known: KnownScopes): void {
  const showNew = (request: FastifyRequest, reply: FastifyReply, chosen: readonly string[], variables: Variables) =>
    showSettings(kit, request, reply, 'applications', 'settings/application-new', {
      title: message('application_new.title'),
      ...scopeChoices(known, chosen),
      ...variables,
    });

  async function showOne(
    request: FastifyRequest,
    reply: FastifyReply,
    typed: { values?: object; scopes?: readonly string[] } & Variables = {},
  ): Promise<FastifyReply> {
    const application = await wanted(asPerson<Application>(request, 'GET', pathOf(request)));
    if (application.type === 'application') return showSignInApplication(kit, known, request, reply);
    return showSettings(kit, request, reply, 'applications', 'settings/application', {
      title: application.name,
      application,
      values: application,
      ...scopeChoices(known, typed.scopes ?? application.scopes),
      ...typed,
    });
  }

  serveSignInApplications(kit, known);
  kit.page(base, 'auth:web', (request, reply) => showApplications(kit, request, reply));
  kit.page(`${base}/new`, 'auth:web', (request, reply) => showNew(request, reply, [everyScope], {}));
  kit.page(`${base}/:id`, 'auth:web', (request, reply) => showOne(request, reply));

  kit.form(base, 'auth:web', async (request, reply) => {
    const { values, scopes, errors } = readApplication(request);
    if (errors) return showNew(request, reply.code(422), scopes, { values, errors });
    const answer = await asPerson<WithSecret>(request, 'POST', '/v1/clients', { ...values, scopes });
    if (answer.ok) return showSecret(kit, request, reply, answer.data, answer.data.client_secret);
    return showNew(request, reply.code(answer.status), scopes, { values, ...refusal(answer, fields) });
  });

  kit.form(`${base}/:id`, 'auth:web', async (request, reply) => {
    const { values, scopes, errors } = readApplication(request);
    if (errors) return showOne(request, reply.code(422), { values, scopes, errors });
    const answer = await asPerson<Application>(request, 'PATCH', pathOf(request), { ...values, scopes });
    if (answer.ok) return kit.go(reply, `${base}/${answer.data.id}?done=application-saved`);
    return showOne(request, reply.code(answer.status), { values, scopes, ...refusal(answer, fields) });
  });

  kit.form(`${base}/:id/secret`, 'auth:web', async (request, reply) => {
    const hours = Number(readForm(request, 'hours').hours) || 0;
    const application = await wanted(asPerson<Application>(request, 'GET', pathOf(request)));
    const path = `${pathOf(request)}/secrets`;
    const made = await wanted(asPerson<{ client_secret: string }>(request, 'POST', path, { keep_old_hours: hours }));
    return showSecret(kit, request, reply, application, made.client_secret, hours);
  });

  kit.form(`${base}/:id/remove`, 'auth:web', async (request, reply) => {
    await ignoreNotFound(asPerson(request, 'DELETE', pathOf(request)));
    return kit.go(reply, `${base}?done=application-removed`);
  });
}

function readApplication(request: FastifyRequest) {
  const values = readForm(request, 'name');
  const scopes = readScopes(request);
  const errors: Record<string, Message> = {};
  if (values.name === '') errors.name = message('application.name_missing');
  if (scopes.length === 0) errors.scopes = nothingChosen;
  return { values, scopes, errors: Object.keys(errors).length > 0 ? errors : undefined };
}

async function showApplications(kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const applications = await ownRows<Application>(request, 'clients', 'personal,application');
  const items = applications.map((item) => ({ ...item, scopes_text: scopesInWords(item.scopes) }));
  return showSettings(kit, request, reply, 'applications', 'settings/applications', {
    title: message('applications.title'),
    items,
  });
}
