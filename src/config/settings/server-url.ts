/** Ends the sentence "expected …" of a URL with a password. */
export const percentEncode =
  '; percent-encode the user name and the password (/ is %2F, @ is %40, : is %3A, ? is %3F, # is %23, % is %25)';

/** `postgres://user:password@a:5432,b/name?option=value`. `URL` cannot parse several hosts. */
const postgresUrl =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^@/?#\s]*)@)?(?<hosts>[^@/?#\s]*)(?<name>\/[^@?#\s]*)?(?<options>\?[^@#\s]*)?$/;
const hostPattern = /^(\[[\da-f:.]+\]|[^:[\]]*)(:\d{1,5})?$/i;

/**
 * False if a character in the password ends the part before the host. The rest of the password would become the host
 * and the database name, which messages show.
 */
export function isPostgresUrl(value: string): boolean {
  const parts = postgresUrl.exec(value)?.groups;
  if (!parts || value.length <= value.indexOf('//') + 2) return false;
  const hosts = (parts.hosts ?? '').split(',');
  return hosts.every((host) => hostPattern.test(host)) && [parts.user, parts.hosts, parts.name].every(isPercentEncoded);
}

/** The user name of a mailbox is often an address. Its `@` is allowed, because the last `@` ends the part before the host. */
export function isSmtpUrl(value: string): boolean {
  const [, credentialsAndHost = '', path = ''] = /^smtps?:\/\/([^/?#\s]+)(\S*)$/.exec(value) ?? [];
  return (
    credentialsAndHost !== '' && !path.includes('@') && URL.canParse(value) && isPercentEncoded(credentialsAndHost)
  );
}

function isPercentEncoded(part = ''): boolean {
  return !/%(?![\da-f]{2})/i.test(part);
}
