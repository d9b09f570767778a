import { type Message, message } from '../../config/languages/message.ts';
import type { clientFields } from '../../oauth/clients/client-fields.ts';
import type { ShownRow } from '../../resources/declaration/fields/row-types.ts';
import type { PageKit, PageRequest } from '../kit/page-request.ts';
import { showSettings } from './settings-shell.ts';

/** A client as the API shows it to its owner. */
export type Application = ShownRow<typeof clientFields>;
export type WithSecret = Application & { readonly client_secret: string };

export const base = '/settings/applications';

export const pathOf = (pageRequest: PageRequest): string =>
  `/v1/clients/${encodeURIComponent(pageRequest.param('id'))}`;

/** The only response that shows a secret. */
export function showSecret(pageRequest: PageRequest, application: Application, secret: string, hours?: number) {
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
