import { oneOf } from './setting.ts';

/** Which applications people may sign in to, beside those that somebody made here. */
export const applicationSettings = {
  dynamicClients: oneOf(
    'DYNAMIC_CLIENTS',
    ['closed', 'token', 'open'],
    'closed',
    'whether applications register themselves at /oauth/register: never, with a token of an administrator, or as they like',
  ),
  clientDocuments: oneOf(
    'CLIENT_DOCUMENTS',
    ['auto', 'on', 'off'],
    'auto',
    'whether an application may be known by the https address of its own description; auto: where DYNAMIC_CLIENTS is open',
  ),
} as const;
