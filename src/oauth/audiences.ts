import type { Config } from '../config/config.ts';
import { OAuthError } from '../platform/errors.ts';
import { type JsonText, parseJson } from '../platform/json-text.ts';

const maxResources = 10;

const invalidTarget = (description: string) => new OAuthError('invalid_target', description);

/** RFC 8707: the possible audiences of access tokens. The resources of this service have addresses below `BASE_URL`. */
export class Audiences {
  readonly #baseUrl: string;
  readonly #scopesByUri = new Map<string, readonly string[] | undefined>();

  constructor({ baseUrl, resourceServers }: Pick<Config, 'baseUrl' | 'resourceServers'>) {
    this.#baseUrl = baseUrl;
    for (const uri of [baseUrl, `${baseUrl}/v1`, ...resourceServers]) this.add(uri);
  }

  /** Adds a resource of this service, such as `/mcp`, or of another server. `scopes`: the scopes that apply there; the default is all. */
  add(uri: string, scopes?: readonly string[]): void {
    this.#scopesByUri.set(uri.startsWith('/') ? this.#baseUrl + uri : uri, scopes);
  }

  /** The scopes that apply to this resource of the service. Undefined: all scopes. */
  scopesOf(path: string): readonly string[] | undefined {
    return this.#scopesByUri.get(this.#baseUrl + path);
  }

  /** The paths of this service's resources. */
  ownPaths(): readonly string[] {
    const under = `${this.#baseUrl}/`;
    return [...this.#scopesByUri.keys()]
      .filter((uri) => uri.startsWith(under))
      .map((uri) => uri.slice(this.#baseUrl.length));
  }

  /** The registered form of a `resource` parameter. A trailing slash makes no difference. */
  read(requested: readonly string[]): readonly string[] {
    if (requested.length > maxResources) throw invalidTarget(`resource takes at most ${maxResources} values.`);
    return [...new Set(requested.map((uri) => this.#find(uri)))];
  }

  #find(uri: string): string {
    if (!URL.canParse(uri) || uri.includes('#') || /\s/.test(uri)) {
      throw invalidTarget('resource takes absolute URIs without a fragment.');
    }
    for (const candidate of [uri, uri.replace(/\/$/, ''), `${uri}/`])
      if (this.#scopesByUri.has(candidate)) return candidate;
    throw invalidTarget(`There is no resource '${uri.slice(0, 200).replace(/[^\x20-\x7e]/g, '?')}' here.`);
  }

  /** RFC 8707 2.2: the part of the login's audiences that the request names; undefined if it names none. */
  narrow(granted: JsonText<string[]> | null, requested: readonly string[]): readonly string[] | undefined {
    if (requested.length === 0) return undefined;
    const allowed = granted === null ? [this.#baseUrl] : parseJson(granted);
    const resources = this.read(requested);
    if (!resources.every((uri) => this.#covers(allowed, uri))) {
      throw invalidTarget('The login was not opened for this resource.');
    }
    return resources;
  }

  /** RFC 8693: a token can be exchanged for any other server, but only for those resources of this service that are in its audience. */
  exchange(audience: readonly string[], requested: readonly string[]): readonly string[] {
    if (requested.length === 0) return audience;
    const isOwn = (uri: string) => uri === this.#baseUrl || uri.startsWith(`${this.#baseUrl}/`);
    const resources = this.read(requested);
    if (resources.some((uri) => isOwn(uri) && !this.#covers(audience, uri))) {
      throw invalidTarget('The token is not for this resource.');
    }
    return resources;
  }

  #covers(audience: readonly string[], uri: string): boolean {
    return audience.includes(uri) || (uri === `${this.#baseUrl}/v1` && audience.includes(this.#baseUrl));
  }
}
