import { flag, integer, oneOf } from './setting.ts';

/** Applications that are not created here. */
export const applicationSettings = {
  dynamicClients: oneOf(['closed', 'token', 'open'], 'closed').describe(
    "whether applications can register themselves at /oauth/register. closed: never. token: with an administrator's token or a registration token. open: without a token",
  ),
  requirePkce: oneOf(['public', 'all'], 'public').describe(
    'which applications must use PKCE. public: applications without a secret. all: every application',
  ),
  clientDocuments: oneOf(['auto', 'on', 'off'], 'auto').describe(
    'whether an application can use the https URL of its client metadata document as its client_id. auto: only if DYNAMIC_CLIENTS is open',
  ),
  cliLogin: flag(true).describe('whether users can sign in on the command line (`gatehouse login`)'),
  mcp: flag(true).describe('whether AI applications can use the declared resources at /mcp (Model Context Protocol)'),
  mcpRateLimit: integer(120, 0, 10_000_000).describe(
    'the number of requests that one session of an application can send to /mcp in a minute. 0 turns the limit off',
  ),
} as const;
