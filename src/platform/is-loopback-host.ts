/** Whether a host name, as `URL` writes it, is always this machine (RFC 8252 7.3 and 8.3). */
export const isLoopbackHost = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);
