import { UsageError } from '../terminal/usage-error.ts';

const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

/** The address of a service as it is kept: without a slash at its end. Tokens travel encrypted, or not out of the machine. */
export function readServiceAddress(text: string): string {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new UsageError('--url takes the address of a service, such as https://auth.example.com');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new UsageError(
      `--url: ${url.host} is another machine, and tokens are not sent there in the clear. Use https.`,
    );
  }
  return url.href.replace(/\/+$/, '');
}
