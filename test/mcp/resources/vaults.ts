import { allOf, defineResource, scope, stepUp, text } from 'gatehouse-server/resources';

/** Only users can write, because a client cannot prove an identity. */
export default defineResource({
  name: 'vaults',
  fields: { title: text({ required: true }) },
  access: { read: 'auth:api', write: allOf(scope('vaults:write'), stepUp()) },
});
