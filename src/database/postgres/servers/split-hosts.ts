/** The parts of `postgres://user:password@a:5432,b:5433/name?option=value`. `URL` cannot parse several hosts. */
const urlPattern = /^(?<before>[a-z]+:\/\/(?:[^@/?#]*@)?)(?<hosts>[^/?#]*)(?<after>.*)$/s;

export function splitHosts(url: string): [string, ...string[]] {
  const { before = '', hosts = '', after = '' } = urlPattern.exec(url)?.groups ?? {};
  const [first = url, ...others] = hosts
    .split(',')
    .filter((host, _, all) => host !== '' || all.length === 1)
    .map((host) => `${before}${host}${after}`);
  return [first, ...others];
}

/** For messages: a server without its user and password. */
export const withoutCredentials = (url: string): string => {
  const { hosts = '', after = '' } = urlPattern.exec(url)?.groups ?? {};
  return `${hosts}${after.replace(/\?.*$/s, '')}`;
};
