import type { Config } from '../../config/config.ts';

/** Whether a client_id may be the address of a description of the client. */
export const takesClientDocuments = ({
  clientDocuments,
  dynamicClients,
}: Pick<Config, 'clientDocuments' | 'dynamicClients'>): boolean =>
  clientDocuments === 'on' || (clientDocuments === 'auto' && dynamicClients === 'open');
