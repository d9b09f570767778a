import { createServer } from 'node:net';
import { OperatorError } from '../platform/errors.ts';
import type { Config } from './config.ts';

/** An error that tells the operator how to fix the problem. */
export function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const fixes = new Map([
    [
      'EADDRINUSE',
      `Another program listens on ${host} port ${port}. Stop it, or choose another port: PORT=${port + 1}`,
    ],
    ['EACCES', `This user is not allowed to listen on port ${port}. Choose a port above 1023: PORT=3000`],
    ['EADDRNOTAVAIL', `HOST=${host} is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all addresses.`],
    ['ENOTFOUND', `HOST=${host} is a name that does not resolve. Use 127.0.0.1, or 0.0.0.0 for all addresses.`],
  ]);
  const fix = fixes.get(error.code ?? '');
  return fix ? new OperatorError(fix) : error;
}

/**
 * With PORT=0, finds a free port before the first link or token contains the address of the service. A start takes a while: until
 * `release`, no other program gets the port.
 */
export async function reservePort(config: Config): Promise<{ readonly config: Config; release(): Promise<void> }> {
  if (config.port !== 0) return { config, release: async () => undefined };
  const placeholderServer = createServer((connection) => connection.destroy()).unref();
  const port = await new Promise<number>((resolve, reject) => {
    placeholderServer.once('error', (error) => reject(listenError(error, config.host, 0)));
    placeholderServer.listen(0, config.host, () => resolve((placeholderServer.address() as { port: number }).port));
  });
  return {
    config: Object.freeze({ ...config, port, baseUrl: config.baseUrl.replace(/:0$/, `:${port}`) }),
    release: () => new Promise((resolve) => placeholderServer.close(() => resolve())),
  };
}
