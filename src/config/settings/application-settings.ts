import { flag, integer, oneOf } from './setting.ts';

/** Which applications people may sign in to, beside those that somebody made here. */
export const applicationSettings = {
  dynamicClients: oneOf(
    'DYNAMIC_CLIENTS',
    ['closed', 'token', 'open'],
    'closed',
    'whether applications register themselves at /oauth/register: never, with a token of an administrator, or as they like',
  ),
  requirePkce: oneOf(
    'REQUIRE_PKCE',
    ['public', 'all'],
    'public',
    'which applications must use PKCE: those without a secret, or all',
  ),
  clientDocuments: oneOf(
    'CLIENT_DOCUMENTS',
    ['auto', 'on', 'off'],
    'auto',
    'whether an application may be known by the https address of its own description; auto: where DYNAMIC_CLIENTS is open',
  ),
  cliLogin: flag('CLI_LOGIN', true, 'whether people may sign in to the command line (`gatehouse login`)'),
  mcp: flag('MCP', true, 'whether AI applications find the declared resources at /mcp (Model Context Protocol)'),
  mcpRateLimit: integer(
    'MCP_RATE_LIMIT',
    120,
    'requests a minute to /mcp for one login of an application; 0: off',
    0,
    10_000_000,
  ),
} as const;
