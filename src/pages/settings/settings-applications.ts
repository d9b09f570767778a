import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Message, message } from '../../config/languages/message.ts';
import { everyScope, identityScopes, type KnownScopes } from '../../oauth/clients/scopes/scopes.ts';
import { type PageKit, readForm } from '../kit/page-kit.ts';
import type { Variables } from '../kit/views.ts';
import { type Application, base, pathOf, showSecret, type WithSecret } from './application-pages.ts';
import { nothingChosen, readScopes, scopeChoices, scopesInWords } from './scope-choices.ts';
import { asPerson, ignoreNotFound, ownRows, refusal, showSettings, wanted } from './settings-shell.ts';

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

const addresses = ['homepage_uri', 'logo_uri', 'backchannel_logout_uri'] as const;
const lists = ['redirect_uris', 'post_logout_redirect_uris'] as const;
const signInFields = ['name', 'scopes', ...addresses, ...lists];

/** External applications that people sign in to: with a secret, which is in one answer only, or public. */
function serveSignInApplications(kit: PageKit, known: KnownScopes): void {
  const showNew = (request: FastifyRequest, reply: FastifyReply, chosen: readonly string[], variables: Variables) =>
    showSettings(kit, request, reply, 'applications', 'settings/sign-in-application-new', {
      title: message('sign_in_application_new.title'),
      ...scopeChoices(known, chosen, { withIdentity: true }),
      ...variables,
    });

  kit.page(`${base}/sign-in/new`, 'auth:web', (request, reply) => showNew(request, reply, identityScopes, {}));

  kit.form(`${base}/sign-in`, 'auth:web', async (request, reply) => {
    const { values, body, scopes, errors } = readSignInApplication(request);
    if (errors) return showNew(request, reply.code(422), scopes, { values, errors });
    const isPublic = values.kind === 'public';
    const answer = await asPerson<WithSecret>(request, 'POST', '/v1/clients', {
      ...body,
      type: 'application',
      public: isPublic,
    });
    if (!answer.ok)
      return showNew(request, reply.code(answer.status), scopes, { values, ...refusal(answer, signInFields) });
    if (isPublic) return kit.go(reply, `${base}/${answer.data.id}?done=application-saved`);
    return showSecret(kit, request, reply, answer.data, answer.data.client_secret);
  });

  kit.form(`${base}/:id/sign-in`, 'auth:web', async (request, reply) => {
    const { values, body, scopes, errors } = readSignInApplication(request);
    const again = (status: number, variables: Variables) =>
      showSignInApplication(kit, known, request, reply.code(status), { values, scopes, ...variables });
    if (errors) return again(422, { errors });
    const answer = await asPerson<Application>(request, 'PATCH', pathOf(request), body);
    if (answer.ok) return kit.go(reply, `${base}/${answer.data.id}?done=application-saved`);
    return again(answer.status, refusal(answer, signInFields));
  });
}

/** `typed`: the values of a refused form. */
async function showSignInApplication(
  kit: PageKit,
  known: KnownScopes,
  request: FastifyRequest,
  reply: FastifyReply,
  typed: { values?: object; scopes?: readonly string[] } & Variables = {},
): Promise<FastifyReply> {
  const application = await wanted(asPerson<Application>(request, 'GET', pathOf(request)));
  const inLines = Object.fromEntries(lists.map((name) => [name, application[name].join('\n')]));
  return showSettings(kit, request, reply, 'applications', 'settings/sign-in-application', {
    title: application.name,
    application,
    issuer: kit.config.baseUrl,
    values: { ...application, ...inLines },
    ...scopeChoices(known, typed.scopes ?? application.scopes, { withIdentity: true }),
    ...typed,
  });
}

function readSignInApplication(request: FastifyRequest) {
  const values = readForm(request, 'name', 'kind', ...addresses, ...lists);
  const scopes = readScopes(request);
  const errors: Record<string, Message> = {};
  if (values.name === '') errors.name = message('sign_in_application.name_missing');
  if (scopes.length === 0) errors.scopes = nothingChosen;
  const body = {
    name: values.name,
    scopes,
    ...Object.fromEntries(addresses.map((name) => [name, values[name] || null])),
    ...Object.fromEntries(lists.map((name) => [name, linesOf(values[name])])),
  };
  return { values, body, scopes, errors: Object.keys(errors).length > 0 ? errors : undefined };
}

const linesOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
