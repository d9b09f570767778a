import { type Message, message } from '../../src/config/languages/message.ts';
import type { clientFields } from '../../src/oauth/clients/client-fields.ts';
import { everyScope, identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import type { Page, PageKit, PageRequest } from '../../src/pages/kit/page-request.ts';
import type { Variables } from '../../src/pages/kit/views.ts';
import { notFound } from '../../src/platform/errors.ts';
import type { ShownRow } from '../../src/resources/declaration/fields/row-types.ts';
import { noScopesMessage, readScopes, scopeChoices, scopesInWords } from './scope-choices.ts';
import { findOwnRow, formErrors, ownRows, removal, requireOk, showSettings } from './settings-shell.ts';

/** A client as the API shows it to its owner. */
type Application = ShownRow<typeof clientFields>;
type WithSecret = Application & { readonly client_secret: string };

const base = '/settings/applications';

async function ownApplication(pageRequest: PageRequest): Promise<Application> {
  const application = await findOwnRow<Application>(pageRequest, 'clients');
  if (!application) throw notFound();
  return application;
}

/** The only response that shows a secret. */
function showSecret(pageRequest: PageRequest, application: Application, secret: string, hours?: number) {
  const curl = firstToken(pageRequest.kit, application, secret);
  return showSettings(pageRequest, 'applications', 'settings/application-secret', {
    title: application.name,
    application,
    client_secret: secret,
    curl,
    old_secret_note: hours === undefined ? undefined : oldSecretNote(hours),
  });
}

/** The command for the first token. An application has none, because its users get the first token. */
function firstToken({ config }: PageKit, { id, type }: Application, secret: string): string | undefined {
  if (type === 'application') return undefined;
  return [
    `curl ${config.baseUrl}/oauth/token`,
    `-H 'Accept: application/json'`,
    `-d grant_type=client_credentials`,
    `-d client_id=${id}`,
    `--data-urlencode 'client_secret=${secret}'`,
  ].join(' \\\n  ');
}

function oldSecretNote(hours: number): Message {
  if (hours === 0) return message('application_secret.old_stopped');
  if (hours > 48) return message('application_secret.old_days', { days: hours / 24 });
  return message('application_secret.old_hours', { hours });
}

const addresses = ['homepage_uri', 'logo_uri', 'backchannel_logout_uri'] as const;
const lists = ['redirect_uris', 'post_logout_redirect_uris'] as const;

interface Kind {
  readonly view: string;
  readonly withIdentity: boolean;
  readonly title: Message;
  readonly nameMissing: Message;
  readonly fields: readonly string[];
}

/** Acts for its owner. */
const personalKind: Kind = {
  view: 'settings/application',
  withIdentity: false,
  title: message('application_new.title'),
  nameMissing: message('application.name_missing'),
  fields: ['name', 'scopes'],
};

/** People sign in to it. It is public, or it has a secret that one response shows. */
const signInKind: Kind = {
  view: 'settings/sign-in-application',
  withIdentity: true,
  title: message('sign_in_application_new.title'),
  nameMissing: message('sign_in_application.name_missing'),
  fields: ['name', 'scopes', ...addresses, ...lists],
};

/** The pages that create and change applications of one kind. */
function pagesOf(kind: Kind) {
  const { view, withIdentity, title, fields } = kind;
  const showForm = (pageRequest: PageRequest, chosen: readonly string[], variables: Variables): Page =>
    showSettings(pageRequest, 'applications', `${view}-new`, {
      title,
      ...scopeChoices(pageRequest.kit, chosen, { withIdentity }),
      ...variables,
    });

  return {
    showNew: (pageRequest: PageRequest): Page =>
      showForm(pageRequest, withIdentity ? identityScopes : [everyScope], {}),

    async create(pageRequest: PageRequest): Page {
      const { values, body, scopes, errors } = readApplication(pageRequest, kind);
      if (errors) return showForm(pageRequest.status(422), scopes, { values, errors });
      const isPublic = kind === signInKind && values.kind === 'public';
      const created = kind === signInKind ? { ...body, type: 'application', public: isPublic } : body;
      const response = await pageRequest.callAsUser<WithSecret>('POST', '/v1/clients', created);
      if (!response.ok) {
        return showForm(pageRequest.statusOf(response), scopes, { values, ...formErrors(response, fields) });
      }
      if (isPublic) return pageRequest.redirect(`${base}/${response.data.id}?done=application-saved`);
      return showSecret(pageRequest, response.data, response.data.client_secret);
    },

    async change(pageRequest: PageRequest): Page {
      const { values, body, scopes, errors } = readApplication(pageRequest, kind);
      if (errors) return showApplication(pageRequest.status(422), { values, scopes, errors });
      const { id } = await ownApplication(pageRequest);
      const response = await pageRequest.callAsUser<Application>('PATCH', `/v1/clients/${id}`, body);
      if (response.ok) return pageRequest.redirect(`${base}/${id}?done=application-saved`);
      const problems = formErrors(response, fields);
      return showApplication(pageRequest.statusOf(response), { values, scopes, ...problems });
    },
  };
}

export const personalClients = pagesOf(personalKind);
export const signInApplications = pagesOf(signInKind);

export const removeApplication = removal('clients', `${base}?done=application-removed`);

export async function createSecret(pageRequest: PageRequest): Page {
  const hours = Number(pageRequest.form('hours').hours) || 0;
  const application = await ownApplication(pageRequest);
  const path = `/v1/clients/${application.id}/secrets`;
  const created = await requireOk(
    pageRequest.callAsUser<{ client_secret: string }>('POST', path, { keep_old_hours: hours }),
  );
  return showSecret(pageRequest, application, created.client_secret, hours);
}

/** `typed`: the values of a rejected form. */
export async function showApplication(
  pageRequest: PageRequest,
  typed: { values?: object; scopes?: readonly string[] } & Variables = {},
): Page {
  const application = await ownApplication(pageRequest);
  const { view, withIdentity } = application.type === 'application' ? signInKind : personalKind;
  const inLines = Object.fromEntries(lists.map((name) => [name, application[name].join('\n')]));
  return showSettings(pageRequest, 'applications', view, {
    title: application.name,
    application,
    issuer: pageRequest.kit.config.baseUrl,
    values: { ...application, ...inLines },
    ...scopeChoices(pageRequest.kit, typed.scopes ?? application.scopes, { withIdentity }),
    ...typed,
  });
}

function readApplication(pageRequest: PageRequest, kind: Kind) {
  const values = pageRequest.form('name', 'kind', ...addresses, ...lists);
  const scopes = readScopes(pageRequest);
  const errors: Record<string, Message> = {};
  if (values.name === '') errors.name = kind.nameMissing;
  if (scopes.length === 0) errors.scopes = noScopesMessage;
  const uris = {
    ...Object.fromEntries(addresses.map((name) => [name, values[name] || null])),
    ...Object.fromEntries(lists.map((name) => [name, linesOf(values[name])])),
  };
  const body = { name: values.name, scopes, ...(kind === signInKind ? uris : {}) };
  return { values, body, scopes, errors: Object.keys(errors).length > 0 ? errors : undefined };
}

/** External applications of the user: personal clients, and applications for sign-in. */
export async function showApplications(pageRequest: PageRequest): Page {
  const applications = await ownRows<Application>(pageRequest, 'clients', 'personal,application');
  const items = applications.map((item) => ({ ...item, scopes_text: scopesInWords(pageRequest.kit, item.scopes) }));
  return showSettings(pageRequest, 'applications', 'settings/applications', {
    title: message('applications.title'),
    items,
  });
}

const linesOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
