import type { FastifyReply } from 'fastify';
import { type Message, message } from '../../config/languages/message.ts';
import { everyScope, identityScopes, type KnownScopes } from '../../oauth/clients/scopes/scopes.ts';
import type { PageKit, PageRequest } from '../kit/page-request.ts';
import type { Variables } from '../kit/views.ts';
import { type Application, base, pathOf, showSecret, type WithSecret } from './application-pages.ts';
import { noScopesMessage, readScopes, scopeChoices, scopesInWords } from './scope-choices.ts';
import { callApiAsUser, formErrors, ignoreNotFound, ownRows, requireOk, showSettings } from './settings-shell.ts';

const fields = ['name', 'scopes'];

/** Personal clients, whose secret is shown once, and applications for sign-in. */
export function serveApplications(kit: PageKit, known: KnownScopes): void {
  const showNew = (pageRequest: PageRequest, chosen: readonly string[], variables: Variables) =>
    showSettings(pageRequest, 'applications', 'settings/application-new', {
      title: message('application_new.title'),
      ...scopeChoices(known, chosen),
      ...variables,
    });

  async function showOne(
    pageRequest: PageRequest,
    typed: { values?: object; scopes?: readonly string[] } & Variables = {},
  ): Promise<FastifyReply> {
    const application = await requireOk(callApiAsUser<Application>(pageRequest, 'GET', pathOf(pageRequest)));
    if (application.type === 'application') return showSignInApplication(pageRequest, known);
    return showSettings(pageRequest, 'applications', 'settings/application', {
      title: application.name,
      application,
      values: application,
      ...scopeChoices(known, typed.scopes ?? application.scopes),
      ...typed,
    });
  }

  serveSignInApplications(kit, known);
  kit.page(base, 'auth:web', (pageRequest) => showApplications(pageRequest, known));
  kit.page(`${base}/new`, 'auth:web', (pageRequest) => showNew(pageRequest, [everyScope], {}));
  kit.page(`${base}/:id`, 'auth:web', showOne);

  kit.form(base, 'auth:web', async (pageRequest) => {
    const { values, scopes, errors } = readApplication(pageRequest);
    if (errors) return showNew(pageRequest.status(422), scopes, { values, errors });
    const response = await callApiAsUser<WithSecret>(pageRequest, 'POST', '/v1/clients', { ...values, scopes });
    if (response.ok) return showSecret(pageRequest, response.data, response.data.client_secret);
    return showNew(pageRequest.status(response.status), scopes, { values, ...formErrors(response, fields) });
  });

  kit.form(`${base}/:id`, 'auth:web', async (pageRequest) => {
    const { values, scopes, errors } = readApplication(pageRequest);
    if (errors) return showOne(pageRequest.status(422), { values, scopes, errors });
    const response = await callApiAsUser<Application>(pageRequest, 'PATCH', pathOf(pageRequest), { ...values, scopes });
    if (response.ok) return pageRequest.redirect(`${base}/${response.data.id}?done=application-saved`);
    return showOne(pageRequest.status(response.status), { values, scopes, ...formErrors(response, fields) });
  });

  kit.form(`${base}/:id/secret`, 'auth:web', async (pageRequest) => {
    const hours = Number(pageRequest.form('hours').hours) || 0;
    const application = await requireOk(callApiAsUser<Application>(pageRequest, 'GET', pathOf(pageRequest)));
    const path = `${pathOf(pageRequest)}/secrets`;
    const created = await requireOk(
      callApiAsUser<{ client_secret: string }>(pageRequest, 'POST', path, { keep_old_hours: hours }),
    );
    return showSecret(pageRequest, application, created.client_secret, hours);
  });

  kit.form(`${base}/:id/remove`, 'auth:web', async (pageRequest) => {
    await ignoreNotFound(callApiAsUser(pageRequest, 'DELETE', pathOf(pageRequest)));
    return pageRequest.redirect(`${base}?done=application-removed`);
  });
}

function readApplication(pageRequest: PageRequest) {
  const values = pageRequest.form('name');
  const scopes = readScopes(pageRequest);
  const errors: Record<string, Message> = {};
  if (values.name === '') errors.name = message('application.name_missing');
  if (scopes.length === 0) errors.scopes = noScopesMessage;
  return { values, scopes, errors: Object.keys(errors).length > 0 ? errors : undefined };
}

async function showApplications(pageRequest: PageRequest, known: KnownScopes): Promise<FastifyReply> {
  const applications = await ownRows<Application>(pageRequest, 'clients', 'personal,application');
  const items = applications.map((item) => ({ ...item, scopes_text: scopesInWords(known, item.scopes) }));
  return showSettings(pageRequest, 'applications', 'settings/applications', {
    title: message('applications.title'),
    items,
  });
}

const addresses = ['homepage_uri', 'logo_uri', 'backchannel_logout_uri'] as const;
const lists = ['redirect_uris', 'post_logout_redirect_uris'] as const;
const signInFields = ['name', 'scopes', ...addresses, ...lists];

/** External applications for sign-in: public, or with a secret that one response shows. */
function serveSignInApplications(kit: PageKit, known: KnownScopes): void {
  const showNew = (pageRequest: PageRequest, chosen: readonly string[], variables: Variables) =>
    showSettings(pageRequest, 'applications', 'settings/sign-in-application-new', {
      title: message('sign_in_application_new.title'),
      ...scopeChoices(known, chosen, { withIdentity: true }),
      ...variables,
    });

  kit.page(`${base}/sign-in/new`, 'auth:web', (pageRequest) => showNew(pageRequest, identityScopes, {}));

  kit.form(`${base}/sign-in`, 'auth:web', async (pageRequest) => {
    const { values, body, scopes, errors } = readSignInApplication(pageRequest);
    if (errors) return showNew(pageRequest.status(422), scopes, { values, errors });
    const isPublic = values.kind === 'public';
    const response = await callApiAsUser<WithSecret>(pageRequest, 'POST', '/v1/clients', {
      ...body,
      type: 'application',
      public: isPublic,
    });
    if (!response.ok)
      return showNew(pageRequest.status(response.status), scopes, { values, ...formErrors(response, signInFields) });
    if (isPublic) return pageRequest.redirect(`${base}/${response.data.id}?done=application-saved`);
    return showSecret(pageRequest, response.data, response.data.client_secret);
  });

  kit.form(`${base}/:id/sign-in`, 'auth:web', async (pageRequest) => {
    const { values, body, scopes, errors } = readSignInApplication(pageRequest);
    const again = (status: number, variables: Variables) =>
      showSignInApplication(pageRequest.status(status), known, { values, scopes, ...variables });
    if (errors) return again(422, { errors });
    const response = await callApiAsUser<Application>(pageRequest, 'PATCH', pathOf(pageRequest), body);
    if (response.ok) return pageRequest.redirect(`${base}/${response.data.id}?done=application-saved`);
    return again(response.status, formErrors(response, signInFields));
  });
}

/** `typed`: the values of a rejected form. */
async function showSignInApplication(
  pageRequest: PageRequest,
  known: KnownScopes,
  typed: { values?: object; scopes?: readonly string[] } & Variables = {},
): Promise<FastifyReply> {
  const application = await requireOk(callApiAsUser<Application>(pageRequest, 'GET', pathOf(pageRequest)));
  const inLines = Object.fromEntries(lists.map((name) => [name, application[name].join('\n')]));
  return showSettings(pageRequest, 'applications', 'settings/sign-in-application', {
    title: application.name,
    application,
    issuer: pageRequest.kit.config.baseUrl,
    values: { ...application, ...inLines },
    ...scopeChoices(known, typed.scopes ?? application.scopes, { withIdentity: true }),
    ...typed,
  });
}

function readSignInApplication(pageRequest: PageRequest) {
  const values = pageRequest.form('name', 'kind', ...addresses, ...lists);
  const scopes = readScopes(pageRequest);
  const errors: Record<string, Message> = {};
  if (values.name === '') errors.name = message('sign_in_application.name_missing');
  if (scopes.length === 0) errors.scopes = noScopesMessage;
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
