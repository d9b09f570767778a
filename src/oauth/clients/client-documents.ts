import type { Config } from '../../config/config.ts';
import { checkWebUri } from './client-uris.ts';

const maxIdLength = 512;

/** draft-ietf-oauth-client-id-metadata-document 3: one spelling per URL. Rejects dots, userinfo and fragments. */
export const isDocumentId = (id: string): boolean =>
  id.startsWith('https://') &&
  id.length <= maxIdLength &&
  checkWebUri(id) === undefined &&
  // The parser adds a missing path.
  new URL(id).href === id;

type Settings = Pick<Config, 'clientDocuments' | 'dynamicClients'>;

export const clientDocumentsEnabled = ({ clientDocuments, dynamicClients }: Settings): boolean =>
  clientDocuments === 'on' || (clientDocuments === 'auto' && dynamicClients === 'open');

/** Whether this is the address of a client document, and client documents are enabled. */
export const isClientDocument = (config: Settings, id: string): boolean =>
  clientDocumentsEnabled(config) && isDocumentId(id);
