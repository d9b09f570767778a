import { commitAndInvalidate } from '../../src/database/bus.ts';
import type { Context } from '../../src/database/context.ts';
import { networkOf } from '../../src/http/network-of.ts';
import {
  createGuardedFetch,
  type GuardedFetch,
  OutboundError,
  type OutboundResponse,
} from '../../src/http/outbound/guarded-fetch.ts';
import type { RequestSource } from '../../src/http/request-source.ts';
import { beginAttempt, networkLimits } from '../../src/identity/throttle/throttle.ts';
import { createClient, findClient, lockClient, updateApplication } from '../../src/oauth/clients/client-store.ts';
import { isClientDocument } from '../../src/oauth/clients/client-uris.ts';
import { badRequest, OAuthError, Problem, tooManyRequests, unavailable } from '../../src/platform/errors.ts';
import { isObject } from '../../src/platform/is-object.ts';
import { tryParseJson } from '../../src/platform/json-text.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import {
  type ClientMetadata,
  type MetadataServices,
  readClientMetadata,
  supportedMetadata,
} from './client-metadata.ts';
import { findRegistration, upsertRegistration } from './registration-store.ts';

/** Mistakes in a client document are shown to the user, never sent by redirect. */
const wrongDocument = (mistake: string, reason?: string): Problem =>
  new Problem(400, 'Bad Request', `The metadata of the application is invalid: ${mistake}`, {
    code: 'bad_request',
    ...(reason ? { reason } : {}),
  });

/** Section 4: reads the document at the address as the metadata of a client. */
function readClientDocument(
  services: Parameters<typeof readClientMetadata>[0],
  id: string,
  response: OutboundResponse,
) {
  const { status, headers, body } = response;
  if (status !== 200) throw wrongDocument(`its address returns ${status} instead of a metadata document.`);
  if (!/^application\/(json|[\w.-]+\+json) *(;|$)/i.test(headers['content-type'] ?? '')) {
    throw wrongDocument('its address does not return JSON.');
  }
  const sent = tryParseJson(body.toString());
  if (!isObject(sent)) throw wrongDocument('its address does not return a JSON object.');
  if (sent.client_id !== id) throw wrongDocument('client_id is not the address of the document.');
  if ('client_secret' in sent || 'client_secret_expires_at' in sent) {
    throw wrongDocument('a public document must not contain a secret.');
  }
  try {
    const metadata = readClientMetadata(services, sent, 'none');
    if (!metadata.application.public) throw badRequest('token_endpoint_auth_method must be none.');
    return metadata;
  } catch (error) {
    if (error instanceof OAuthError || error instanceof Problem) throw wrongDocument(error.message);
    throw error;
  }
}

const minFreshSeconds = 300;
const maxFreshSeconds = 86_400;
const defaultFreshSeconds = 3600;

/** How many seconds a document stays fresh (RFC 9111 5.2.2), within a minimum and a maximum. */
export function freshSeconds(cacheControl: string | undefined): number {
  const directives = (cacheControl ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  if (directives.some((part) => part === 'no-store' || part === 'no-cache' || part.startsWith('no-cache=')))
    return minFreshSeconds;
  const maxAge = directives
    .map((part) => /^max-age="?(\d{1,10})"?$/.exec(part)?.[1])
    .find((text) => text !== undefined);
  if (maxAge === undefined) return defaultFreshSeconds;
  return Math.min(Math.max(Number(maxAge), minFreshSeconds), maxFreshSeconds);
}

const timeoutMs = 5000;
const maxBytes = 10_240;
/** Concurrent fetches: of all addresses together, and for one network. */
const concurrency = 32;
const atOnceForNetwork = 4;
/** Failed fetches in 15 minutes, per network. Other networks are not affected. */
const maxFailures = 30;

/** Applications whose `client_id` is the address of a client document. The document is fetched, checked and stored as a client. */
export class ClientDocuments {
  readonly #context: Context;
  readonly #metadataServices: MetadataServices;
  readonly #fetch: GuardedFetch;
  /** One fetch at a time for each address. Concurrent requests share it. */
  readonly #underWay = new Map<string, { readonly network: string; readonly done: Promise<void> }>();

  constructor(context: Context, metadataServices: MetadataServices) {
    this.#context = context;
    this.#metadataServices = metadataServices;
    this.#fetch = createGuardedFetch(context.config, undefined, 'never');
  }

  /** Fetches the client document unless it is fresh. If the fetch fails or is limited, the stored client stays as it is. */
  async refresh(id: string, source: RequestSource): Promise<void> {
    const { config, database, now } = this.#context;
    // Otherwise any id could make this service fetch an address.
    if (!isClientDocument(config, id)) return;
    const registration = await findRegistration(database.db, id);
    if ((registration?.fresh_until ?? 0) <= now()) await this.#fetchOnce(id, source, registration !== undefined);
  }

  async #fetchOnce(id: string, source: RequestSource, isKnown: boolean): Promise<void> {
    const underWay = this.#underWay.get(id);
    if (underWay) return underWay.done;
    const network = networkOf(source.address ?? '');
    const ofNetwork = [...this.#underWay.values()].filter((other) => other.network === network).length;
    if (this.#underWay.size >= concurrency || ofNetwork >= atOnceForNetwork) {
      if (isKnown) return undefined;
      throw unavailable('Too many applications are being looked up. Try again.', 2, 'documents under way');
    }
    const done = this.#fetchAndStore(id, source, isKnown).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, { network, done });
    return done;
  }

  async #fetchAndStore(id: string, source: RequestSource, isKnown: boolean): Promise<void> {
    const attempt = await beginAttempt(this.#context, networkLimits('client-document', source.address, maxFailures));
    const [exceeded] = attempt.exceededLimits;
    if (exceeded) {
      await attempt.release();
      if (isKnown) return;
      throw tooManyRequests('Too many applications were looked up. Try again later.', exceeded.retryAfterSeconds);
    }
    try {
      const response = await this.#fetchDocument(id, isKnown);
      if (response) {
        const metadata = readClientDocument(supportedMetadata(this.#metadataServices), id, response);
        await this.#store(id, metadata, freshSeconds(response.headers['cache-control']), source);
        this.#context.metrics.clientRegistrations.inc({ kind: 'document' });
      }
      await attempt.release();
    } catch (error) {
      await attempt.count();
      throw error;
    }
  }

  /** Only the log names the reason: a response would reveal the network. Undefined if a stored client's document is unavailable. */
  async #fetchDocument(id: string, isKnown: boolean): Promise<OutboundResponse | undefined> {
    try {
      const response = await this.#fetch(id, { headers: { accept: 'application/json' }, timeoutMs, maxBytes });
      return isKnown && (response.status === 429 || response.status >= 500) ? undefined : response;
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (isKnown) return undefined;
      throw wrongDocument('its address returns no usable document.', error.message);
    }
  }

  async #store(id: string, { application, notes }: ClientMetadata, seconds: number, source: RequestSource) {
    const { database, now } = this.#context;
    await commitAndInvalidate(database, async (tx, invalidate) => {
      const at = now();
      const created = await createClient(tx, { ...application, id, type: 'application', userId: null }, at);
      await lockClient(tx, id);
      const existing = created ? undefined : await findClient(tx, id);
      // Another client was created with this id.
      if (existing && existing.registration !== 'document')
        throw wrongDocument('its address is the id of another client.');
      if (existing) await updateApplication(tx, id, application, at);
      await upsertRegistration(tx, {
        ...{ client_id: id, kind: 'document', token_hash: null, metadata: JSON.stringify({ notes }) },
        ...{ fresh_until: at + seconds * 1000, created_at: at, last_used_at: at },
      });
      invalidate({ kind: 'client', id });
      if (!created) return;
      const data = { by: 'document', type: 'application', scopes: application.scopes };
      await recordEvent(this.#context, tx, { type: 'client.created', clientId: id, source, data });
    });
  }
}
