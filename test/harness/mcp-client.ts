import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { authorizationResponseIn, press } from './authorizing.ts';
import type { Visitor } from './visitor.ts';

const redirectUrl = 'http://127.0.0.1:49152/callback';

/** An assistant that stores its tokens, as the published client requires. */
class Assistant implements OAuthClientProvider {
  readonly redirectUrl = redirectUrl;
  readonly clientMetadata = {
    client_name: 'Somebody’s assistant',
    redirect_uris: [redirectUrl],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
  };
  asked: URL | undefined;
  given: Awaited<ReturnType<OAuthClientProvider['tokens']>>;
  #client: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>;
  #verifier = '';
  #discovered: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>;

  clientInformation = () => this.#client;
  saveClientInformation: NonNullable<OAuthClientProvider['saveClientInformation']> = (client) => {
    this.#client = client;
  };
  tokens = () => this.given;
  saveTokens: OAuthClientProvider['saveTokens'] = (tokens) => {
    this.given = tokens;
  };
  redirectToAuthorization = (url: URL) => {
    this.asked = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
  /** The authorization server of the request. The response must come from the same server (mix-up attack). */
  saveDiscoveryState: NonNullable<OAuthClientProvider['saveDiscoveryState']> = (state) => {
    this.#discovered = state;
  };
  discoveryState = () => this.#discovered;
}

type Mode = 'legacy' | 'auto';

/** A published MCP client that knows only the address, and a user in a browser who allows every scope except `without`. */
export async function connectAssistant(
  { url }: { readonly url: string },
  visitor: Visitor,
  { without, mode = 'auto' }: { without?: (scope: string) => boolean; mode?: Mode } = {},
) {
  const assistant = new Assistant();
  const address = new URL(`${url}/mcp`);
  const transport = () => new StreamableHTTPClientTransport(address, { authProvider: assistant });
  const client = () => new Client({ name: 'assistant', version: '1' }, { versionNegotiation: { mode } });
  const first = transport();
  const refused = await client()
    .connect(first)
    .then(
      () => undefined,
      (error: Error) => error,
    );
  if (!assistant.asked) throw new Error('the client did not redirect to the sign-in', { cause: refused });
  const page = await visitor.get(assistant.asked.pathname + assistant.asked.search);
  const asked = (assistant.asked.searchParams.get('scope') ?? '').split(' ');
  const response = await press(visitor, page, 'allow', { without: asked.filter((scope) => without?.(scope)) });
  const { code } = authorizationResponseIn(response);
  if (code === undefined) throw new Error(`no code: ${response.status} ${response.location} ${response.html}`);
  await first.finishAuth(new URL(response.location as string).searchParams);
  const connected = client();
  await connected.connect(transport());
  const token = assistant.given?.access_token as string;
  return { client: connected, token, refreshToken: assistant.given?.refresh_token, asked, page };
}
