const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);

/**
 * What is wrong with pages of this machine that CORS_ORIGINS names. `localhost` and `127.0.0.1` are different sites to a
 * browser: it keeps the refresh cookie back, and a reload signs everybody out. Ports do not count.
 */
export function otherSites({ baseUrl, corsOrigins }: { baseUrl: string; corsOrigins: readonly string[] }): string[] {
  const service = new URL(baseUrl);
  if (!isLoopback(service.hostname)) return [];
  return corsOrigins.flatMap((origin) => {
    if (!URL.canParse(origin)) return [];
    const page = new URL(origin);
    if (!isLoopback(page.hostname) || page.hostname === service.hostname) return [];
    const same = new URL(origin);
    same.hostname = service.hostname;
    const says = `CORS_ORIGINS names ${origin}, but BASE_URL is ${baseUrl}: to a browser ${page.hostname} and ${service.hostname} are different sites`;
    return [
      `${says}, and it keeps the refresh cookie back. Open the page at ${same.origin}, or set BASE_URL to ${page.hostname}.`,
    ];
  });
}
