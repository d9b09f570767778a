/** RFC 8252 7.3 and 8.3: names of this machine that need no TLS, as `URL` writes them. */
const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

export const isLoopbackHost = (hostname: string): boolean => loopbackHosts.has(hostname);
