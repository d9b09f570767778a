import type { OutboundAnswer } from '../../http/outbound/guarded-fetch.ts';
import { badRequest, OAuthError, Problem } from '../../platform/errors.ts';
import { faultOfWebUri } from '../clients/application-uris.ts';
import { type ClientMetadata, readClientMetadata } from './client-metadata.ts';

const longestId = 512;

/**
 * draft-ietf-oauth-client-id-metadata-document 3: an https URL with a path, written in one way alone, so that comparing
 * texts compares clients. Dots in the path, userinfo and fragments are refused with it.
 */
export const isDocumentId = (id: string): boolean =>
  id.startsWith('https://') &&
  id.length <= longestId &&
  faultOfWebUri(id) === undefined &&
  // Without a path the parser would add one.
  new URL(id).href === id;

/** Mistakes in a client document are shown to the user, never sent by redirect. */
export const wrongDocument = (what: string, reason?: string): Problem =>
  new Problem(400, 'Bad Request', `The application describes itself wrongly: ${what}`, {
    code: 'bad_request',
    ...(reason ? { reason } : {}),
  });

/** Section 4: what stands behind the address, as far as it can be taken for a client. */
export function readClientDocument(
  known: Parameters<typeof readClientMetadata>[0],
  id: string,
  answer: OutboundAnswer,
): ClientMetadata {
  const { status, headers, body } = answer;
  if (status !== 200) throw wrongDocument(`its address answers ${status}, and not with a description.`);
  if (!/^application\/(json|[\w.-]+\+json) *(;|$)/i.test(headers['content-type'] ?? '')) {
    throw wrongDocument('its address answers with something that is no JSON.');
  }
  const sent = readObject(body);
  if (sent.client_id !== id) throw wrongDocument('client_id is not the address of the description.');
  if ('client_secret' in sent || 'client_secret_expires_at' in sent) {
    throw wrongDocument('a description that anybody can read holds no secret.');
  }
  try {
    const metadata = readClientMetadata(known, sent, 'none');
    if (!metadata.fields.public) throw badRequest('token_endpoint_auth_method must be none.');
    return metadata;
  } catch (error) {
    if (error instanceof OAuthError || error instanceof Problem) throw wrongDocument(error.message);
    throw error;
  }
}

function readObject(body: Buffer): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(body.toString());
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw wrongDocument('its address answers with something that is no JSON object.');
}
