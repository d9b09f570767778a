import { flag, integer, oneOf } from './setting.ts';

/** Applications that are not created here. */
export const applicationSettings = {
  dynamicClients: oneOf(
    'DYNAMIC_CLIENTS',
    ['closed', 'token', 'open'],
    'closed',
    "whether applications can register themselves at /oauth/register. closed: never. token: with an administrator's token. open: without a token",
  ),
  requirePkce: oneOf(
    'REQUIRE_PKCE',
    ['public', 'all'],
    'public',
    'which applications must use PKCE. public: applications without a secret. all: every application',
  ),
  clientDocuments: oneOf(
    'CLIENT_DOCUMENTS',
    ['auto', 'on', 'off'],
    'auto',
    'whether an application can use the https URL of its client metadata document as its client_id. auto: only if DYNAMIC_CLIENTS is open',
  ),
  cliLogin: flag('CLI_LOGIN', true, 'whether people can sign in on the command line (`gatehouse login`)'),
  mcp: flag('MCP', true, 'whether AI applications can use the declared resources at /mcp (Model Context Protocol)'),
  mcpRateLimit: integer(
    'MCP_RATE_LIMIT',
    120,
    'the number of requests that one session of an application can send to /mcp in a minute. 0 turns the limit off',
    0,
    10_000_000,
  ),
} as const;
