import type { Config } from '../../../src/config/config.ts';
import { createCookies } from '../../../src/pages/session/cookies.ts';
import type { Resources } from '../../../src/resources/model/resource.ts';
import { completeDocument, securitySchemes } from './complete-document.ts';
import { type DeclaredRoutes, describeRoutes } from './describe-routes.ts';

const introduction = `
Requests and responses under \`/v1\` are JSON. Send \`Accept: application/json\` with every request. Request bodies can be JSON
or form data. Paths work with and without a trailing slash.

**Authentication.** Send an access token with each request: \`Authorization: Bearer …\`. You can create a personal access
token in your account settings. \`POST /v1/clients/web/admin/login\` returns a token for an email and a password. Applications
get their tokens from \`POST /oauth/token\`. \`POST /v1/register\` creates an account.

**Try it here.** If you are signed in, this page sends requests in your name. If you sign in with an operation on this page, the
page uses the new token from then on. Each operation has sample code for curl, JavaScript, Python, Go and PHP.

**Errors.** Errors under \`/v1\` are \`application/problem+json\` (RFC 9457) and have a stable \`code\`. The OAuth endpoints return
\`{error, error_description}\` (RFC 6749). Every response has the header \`X-Request-Id\`, and an error repeats it as \`instance\`.
It identifies the request in the log.

**Caching and concurrent changes.** Every 200 response to a GET has an \`ETag\`. Send it as \`If-None-Match\` to get 304 if nothing
has changed. Send it as \`If-Match\` with a write to get 412 if somebody else has changed the row.
`.trim();

/** The OpenAPI document. */
export async function createDocument(config: Config, routes: DeclaredRoutes, resources: Resources): Promise<object> {
  const { brandName, baseUrl } = config;
  const description = 'The session cookie of a browser. A write also needs the form field `_csrf`.';
  const session = { type: 'apiKey', in: 'cookie', name: createCookies(config).sessionName, description } as const;
  const document = await describeRoutes(routes, {
    openapi: '3.1.0',
    info: {
      title: brandName,
      version: '1',
      description: introduction,
      contact: { name: brandName, url: baseUrl },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    // The scopes are complete when all routes are described.
    components: { securitySchemes: { ...securitySchemes(baseUrl, {}), session } },
  });
  return completeDocument(document, resources);
}
