import type { FastifyReply } from 'fastify';
import { type Message, message } from '../../config/languages/message.ts';
import { everyScope, identityScopes, type KnownScopes } from '../../oauth/clients/scopes/scopes.ts';
import type { Variables } from '../kit/views.ts';
import type { PageKit, Visit } from '../kit/visit.ts';
import { type Application, base, pathOf, showSecret, type WithSecret } from './application-pages.ts';
import { noScopesMessage, readScopes, scopeChoices, scopesInWords } from './scope-choices.ts';
import { callApiAsUser, formErrors, ignoreNotFound, ownRows, requireOk, showSettings } from './settings-shell.ts';

const fields = ['name', 'scopes'];

/** Personal clients, whose secret is shown once, and applications for sign-in. */
export function serveApplications(kit: PageKit, known: KnownScopes): void {
  const showNew = (visit: Visit, chosen: readonly string[], variables: Variables) =>
    showSettings(visit, 'applications', 'settings/application-new', {
      title: message('application_new.title'),
      ...scopeChoices(known, chosen),
      ...variables,
    });

  async function showOne(
    visit: Visit,
    typed: { values?: object; scopes?: readonly string[] } & Variables = {},
  ): Promise<FastifyReply> {
    const application = await requireOk(callApiAsUser<Application>(visit, 'GET', pathOf(visit)));
    if (application.type === 'application') return showSignInApplication(visit, known);
    return showSettings(visit, 'applications', 'settings/application', {
      title: application.name,
      application,
      values: application,
      ...scopeChoices(known, typed.scopes ?? application.scopes),
      ...typed,
    });
  }

  serveSignInApplications(kit, known);
  kit.page(base, 'auth:web', (visit) => showApplications(visit, known));
  kit.page(`${base}/new`, 'auth:web', (visit) => showNew(visit, [everyScope], {}));
  kit.page(`${base}/:id`, 'auth:web', showOne);

  kit.form(base, 'auth:web', async (visit) => {
    const { values, scopes, errors } = readApplication(visit);
    if (errors) return showNew(visit.status(422), scopes, { values, errors });
    const answer = await callApiAsUser<WithSecret>(visit, 'POST', '/v1/clients', { ...values, scopes });
    if (answer.ok) return showSecret(visit, answer.data, answer.data.client_secret);
    return showNew(visit.status(answer.status), scopes, { values, ...formErrors(answer, fields) });
  });

  kit.form(`${base}/:id`, 'auth:web', async (visit) => {
    const { values, scopes, errors } = readApplication(visit);
    if (errors) return showOne(visit.status(422), { values, scopes, errors });
    const answer = await callApiAsUser<Application>(visit, 'PATCH', pathOf(visit), { ...values, scopes });
    if (answer.ok) return visit.redirect(`${base}/${answer.data.id}?done=application-saved`);
    return showOne(visit.status(answer.status), { values, scopes, ...formErrors(answer, fields) });
  });

  kit.form(`${base}/:id/secret`, 'auth:web', async (visit) => {
    const hours = Number(visit.form('hours').hours) || 0;
    const application = await requireOk(callApiAsUser<Application>(visit, 'GET', pathOf(visit)));
    const path = `${pathOf(visit)}/secrets`;
    const made = await requireOk(
      callApiAsUser<{ client_secret: string }>(visit, 'POST', path, { keep_old_hours: hours }),
    );
    return showSecret(visit, application, made.client_secret, hours);
  });

  kit.form(`${base}/:id/remove`, 'auth:web', async (visit) => {
    await ignoreNotFound(callApiAsUser(visit, 'DELETE', pathOf(visit)));
    return visit.redirect(`${base}?done=application-removed`);
  });
}

function readApplication(visit: Visit) {
  const values = visit.form('name');
  const scopes = readScopes(visit);
  const errors: Record<string, Message> = {};
  if (values.name === '') errors.name = message('application.name_missing');
  if (scopes.length === 0) errors.scopes = noScopesMessage;
  return { values, scopes, errors: Object.keys(errors).length > 0 ? errors : undefined };
}

async function showApplications(visit: Visit, known: KnownScopes): Promise<FastifyReply> {
  const applications = await ownRows<Application>(visit, 'clients', 'personal,application');
  const items = applications.map((item) => ({ ...item, scopes_text: scopesInWords(known, item.scopes) }));
  return showSettings(visit, 'applications', 'settings/applications', {
    title: message('applications.title'),
    items,
  });
}

const addresses = ['homepage_uri', 'logo_uri', 'backchannel_logout_uri'] as const;
const lists = ['redirect_uris', 'post_logout_redirect_uris'] as const;
const signInFields = ['name', 'scopes', ...addresses, ...lists];

/** External applications for sign-in: public, or with a secret that one response shows. */
function serveSignInApplications(kit: PageKit, known: KnownScopes): void {
  const showNew = (visit: Visit, chosen: readonly string[], variables: Variables) =>
    showSettings(visit, 'applications', 'settings/sign-in-application-new', {
      title: message('sign_in_application_new.title'),
      ...scopeChoices(known, chosen, { withIdentity: true }),
      ...variables,
    });

  kit.page(`${base}/sign-in/new`, 'auth:web', (visit) => showNew(visit, identityScopes, {}));

  kit.form(`${base}/sign-in`, 'auth:web', async (visit) => {
    const { values, body, scopes, errors } = readSignInApplication(visit);
    if (errors) return showNew(visit.status(422), scopes, { values, errors });
    const isPublic = values.kind === 'public';
    const answer = await callApiAsUser<WithSecret>(visit, 'POST', '/v1/clients', {
      ...body,
      type: 'application',
      public: isPublic,
    });
    if (!answer.ok)
      return showNew(visit.status(answer.status), scopes, { values, ...formErrors(answer, signInFields) });
    if (isPublic) return visit.redirect(`${base}/${answer.data.id}?done=application-saved`);
    return showSecret(visit, answer.data, answer.data.client_secret);
  });

  kit.form(`${base}/:id/sign-in`, 'auth:web', async (visit) => {
    const { values, body, scopes, errors } = readSignInApplication(visit);
    const again = (status: number, variables: Variables) =>
      showSignInApplication(visit.status(status), known, { values, scopes, ...variables });
    if (errors) return again(422, { errors });
    const answer = await callApiAsUser<Application>(visit, 'PATCH', pathOf(visit), body);
    if (answer.ok) return visit.redirect(`${base}/${answer.data.id}?done=application-saved`);
    return again(answer.status, formErrors(answer, signInFields));
  });
}

/** `typed`: the values of a refused form. */
async function showSignInApplication(
  visit: Visit,
  known: KnownScopes,
  typed: { values?: object; scopes?: readonly string[] } & Variables = {},
): Promise<FastifyReply> {
  const application = await requireOk(callApiAsUser<Application>(visit, 'GET', pathOf(visit)));
  const inLines = Object.fromEntries(lists.map((name) => [name, application[name].join('\n')]));
  return showSettings(visit, 'applications', 'settings/sign-in-application', {
    title: application.name,
    application,
    issuer: visit.kit.config.baseUrl,
    values: { ...application, ...inLines },
    ...scopeChoices(known, typed.scopes ?? application.scopes, { withIdentity: true }),
    ...typed,
  });
}

function readSignInApplication(visit: Visit) {
  const values = visit.form('name', 'kind', ...addresses, ...lists);
  const scopes = readScopes(visit);
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
