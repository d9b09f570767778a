import { commitAndInvalidate } from '../../database/bus.ts';
import type { Context } from '../../database/context.ts';
import { networkOf } from '../../http/network-of.ts';
import {
  createGuardedFetch,
  type GuardedFetch,
  type OutboundAnswer,
  OutboundError,
} from '../../http/outbound/guarded-fetch.ts';
import type { RequestSource } from '../../http/request-source.ts';
import { begin, networkLimits } from '../../identity/throttle/throttle.ts';
import { tooManyRequests, unavailable } from '../../platform/errors.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import type { ClientDirectory } from '../clients/client-directory.ts';
import { createClient, findClient, lockClient, type StoredClient } from '../clients/client-store.ts';
import { updateApplication } from '../clients/update-application-store.ts';
import { type ClientMetadata, knownHere, type Offered } from './client-metadata.ts';
import { secondsFresh } from './document-cache.ts';
import { isDocumentId, readClientDocument, wrongDocument } from './read-client-document.ts';
import { findRegistration, putRegistration } from './registration-store.ts';
import { takesClientDocuments } from './takes-client-documents.ts';

const timeoutMs = 5000;
const maxBytes = 10_240;
/** Fetched at the same time: of all addresses together, and for one network. */
const atOnce = 32;
const atOnceForNetwork = 4;
/** In a quarter of an hour: descriptions that could not be had, asked for by one network. Nobody else pays for them. */
const mostFailures = 30;

/** Applications whose `client_id` is the address of a description of them: fetched, checked, and kept as clients. */
export class ClientDocuments {
  readonly #context: Context;
  readonly #clients: ClientDirectory;
  readonly #known: Offered;
  readonly #fetch: GuardedFetch;
  /** One at a time for each address; who comes meanwhile waits for the same. */
  readonly #underWay = new Map<string, { readonly network: string; readonly done: Promise<void> }>();

  constructor(context: Context, clients: ClientDirectory, known: Offered) {
    this.#context = context;
    this.#clients = clients;
    this.#known = known;
    this.#fetch = createGuardedFetch(context.config, undefined, 'never');
  }

  /** Whether this is the address of a description, and such are taken. */
  takes(id: string | undefined): boolean {
    return id !== undefined && takesClientDocuments(this.#context.config) && isDocumentId(id);
  }

  /** Looks up clients on behalf of a caller with this address. */
  for(source: RequestSource): Pick<ClientDirectory, 'find'> {
    return { find: (id) => this.find(id, source) };
  }

  /**
   * The client. Where it is known by an address, its description is fetched first, unless that is fresh. One that is known
   * is taken as it was where its address cannot be reached now, or whoever asks has asked too often.
   */
  async find(id: string, source: RequestSource): Promise<StoredClient | undefined> {
    const { database, now } = this.#context;
    if (!this.takes(id)) return this.#clients.find(id);
    const registration = await findRegistration(database.db, id);
    if ((registration?.fresh_until ?? 0) <= now()) await this.#refresh(id, source, registration !== undefined);
    return this.#clients.find(id);
  }

  async #refresh(id: string, source: RequestSource, isKnown: boolean): Promise<void> {
    const underWay = this.#underWay.get(id);
    if (underWay) return underWay.done;
    const network = networkOf(source.address ?? '');
    const ofNetwork = [...this.#underWay.values()].filter((other) => other.network === network).length;
    if (this.#underWay.size >= atOnce || ofNetwork >= atOnceForNetwork) {
      if (isKnown) return undefined;
      throw unavailable('Too many applications are being looked up. Try again.', 2, 'documents under way');
    }
    const done = this.#fetchAndStore(id, source, isKnown).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, { network, done });
    return done;
  }

  async #fetchAndStore(id: string, source: RequestSource, isKnown: boolean): Promise<void> {
    const attempt = await begin(this.#context, networkLimits('client-document', source.address, mostFailures));
    const [refusal] = attempt.refusals;
    if (refusal) {
      await attempt.giveBack();
      if (isKnown) return;
      throw tooManyRequests('Too many applications were looked up. Try again later.', refusal.retryAfterSeconds);
    }
    try {
      const answer = await this.#ask(id, isKnown);
      if (answer) {
        const metadata = readClientDocument(knownHere(this.#known), id, answer);
        await this.#store(id, metadata, secondsFresh(answer.headers['cache-control']), source);
        this.#context.metrics.clientRegistrations.inc({ kind: 'document' });
      }
      await attempt.giveBack();
    } catch (error) {
      await attempt.count();
      throw error;
    }
  }

  /**
   * Why an address was not reached stays here: it would tell a stranger about the network that this service is in. Undefined
   * where it cannot be had now, and is known from before.
   */
  async #ask(id: string, isKnown: boolean): Promise<OutboundAnswer | undefined> {
    try {
      const answer = await this.#fetch(id, { headers: { accept: 'application/json' }, timeoutMs, maxBytes });
      return isKnown && (answer.status === 429 || answer.status >= 500) ? undefined : answer;
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (isKnown) return undefined;
      throw wrongDocument('its address gives no description that can be read.', error.message);
    }
  }

  async #store(id: string, metadata: ClientMetadata, seconds: number, source: RequestSource): Promise<void> {
    const { database, now } = this.#context;
    const { name, scopes, fields } = metadata;
    await commitAndInvalidate(database, async (tx, invalidate) => {
      const at = now();
      const made = await createClient(tx, { id, type: 'application', name, userId: null, scopes, ...fields }, at);
      await lockClient(tx, database.engine, id);
      const known = made ? undefined : await findClient(tx, id);
      // Somebody here gave a client this very id.
      if (known && known.registration !== 'document') throw wrongDocument('its address is the name of another client.');
      if (known) await updateApplication(tx, id, { name, scopes, ...fields }, at);
      await putRegistration(tx, {
        ...{ client_id: id, kind: 'document', token_hash: null, metadata: JSON.stringify({ notes: metadata.notes }) },
        ...{ fresh_until: at + seconds * 1000, created_at: at, last_used_at: at },
      });
      invalidate({ kind: 'client', id });
      if (!made) return;
      const data = { by: 'document', type: 'application', scopes };
      await recordEvent(this.#context, tx, { type: 'client.created', clientId: id, source, data });
    });
  }
}
