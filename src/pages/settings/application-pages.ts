import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Message, message } from '../../config/languages/message.ts';
import type { PageKit } from '../kit/page-kit.ts';
import { showSettings } from './settings-shell.ts';

/** A client as the API shows it to its owner. */
export interface Application {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly redirect_uris: readonly string[];
  readonly post_logout_redirect_uris: readonly string[];
  readonly created_at: string;
}
export type WithSecret = Application & { readonly client_secret: string };

export const base = '/settings/applications';

export const pathOf = (request: FastifyRequest): string =>
  `/v1/clients/${encodeURIComponent((request.params as { id: string }).id)}`;

/** The one answer that shows a secret. */
export function showSecret(
  kit: PageKit,
  request: FastifyRequest,
  reply: FastifyReply,
  application: Application,
  secret: string,
  hours?: number,
): Promise<FastifyReply> {
  const curl = firstToken(kit, application, secret);
  return showSettings(kit, request, reply, 'applications', 'settings/application-secret', {
    title: application.name,
    application,
    client_secret: secret,
    curl,
    old_secret_note: hours === undefined ? undefined : oldSecretNote(hours),
  });
}

/** For an application it is people who get the first token. */
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
