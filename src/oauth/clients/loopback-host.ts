import type { Config } from '../../config/config.ts';

/** RFC 8252 7.3 and 8.3: names of this machine that need no TLS, as `URL` writes them. */
const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

export const isLoopbackHost = (hostname: string): boolean => loopbackHosts.has(hostname);

/** Whether this service calls its own machine: it runs on a developer's, or its operator allows it. */
export const mayCallLoopback = (config: Pick<Config, 'baseUrl' | 'outboundPrivateAddresses'>): boolean =>
  config.outboundPrivateAddresses || isLoopbackHost(new URL(config.baseUrl).hostname);
