import { defineRoute } from 'gatehouse-server/routes';

/** Sets a header whose value HTTP does not allow. */
export default defineRoute({
  method: 'GET',
  path: '/v1/labels',
  auth: 'public',
  handle: ({ reply }) => {
    reply.header('x-label', 'a\r\nb');
    return { data: null };
  },
});
