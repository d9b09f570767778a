import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../../src/config/config.ts';
import { forbidden } from '../../src/platform/errors.ts';

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

const hostOf = (host: string): string => URL.parse(`http://${host}`)?.hostname ?? '';

/**
 * A page of another origin has no business here. One whose name was made to mean this machine (DNS rebinding) gives itself
 * away by its Origin, and where the service is on this machine alone, by the Host that it asks for.
 */
export function refuseForeignPages({ origin, host = '' }: IncomingHttpHeaders, { baseUrl, corsOrigins }: Config): void {
  const own = new URL(baseUrl);
  const isLocal = loopback.test(own.hostname);
  const isOwn = origin === undefined || origin === own.origin || corsOrigins.includes(origin);
  // A page of this machine, where the service is on it alone: the Inspector, on a port of its own.
  if (!isOwn && !(isLocal && loopback.test(URL.parse(origin)?.hostname ?? ''))) {
    throw forbidden('Pages of another origin may not use this.', 'foreign_origin');
  }
  if (isLocal && !loopback.test(hostOf(host))) {
    throw forbidden('The Host header does not name this service.', 'foreign_origin');
  }
}
