import { type Caller, isAdmin } from '../../../src/platform/caller.ts';
import { all, among, anyOf, type Condition, equals, type Rule } from '../../../src/resources/declaration/access.ts';
import { defineResource } from '../../../src/resources/declaration/define-resource.ts';
import { belongsTo } from '../../../src/resources/declaration/relations.ts';
import { integer, json, oneOf, reference, text, timestamp } from '../../../src/resources/declare.ts';
import type { Resources } from '../../../src/resources/model/resource.ts';
import { fullyReadableResources } from './fully-readable.ts';

/** Deliveries of the user's own webhooks. Applications get none, because deliveries contain rows that only the roles of the owner show. */
const ownDeliveries: Rule = ({ kind, application, userId }: Caller): boolean | Condition =>
  kind === 'user' && !application && userId !== null
    ? { kind: 'related', relation: 'webhook', condition: equals('user_id', userId) }
    : false;

/** An administrator sees deliveries of other users only for resources of which the administrator may read every row. */
const readDeliveries =
  (resources: () => Resources): Rule =>
  (caller, now) => {
    const ofOthers: Rule = () =>
      isAdmin(caller) && among('resource', ['', ...fullyReadableResources(resources(), caller, now)]);
    const visibleDeliveries = anyOf(ofOthers, ownDeliveries)(caller, now);
    // A token sees deliveries of the resources that it may read. A ping has no resource.
    if (caller.scopes.includes('*')) return visibleDeliveries;
    const readable = caller.scopes.filter((scope) => scope.endsWith(':read')).map((scope) => scope.slice(0, -5));
    return all(visibleDeliveries, among('resource', ['', ...readable]));
  };

export const deliveriesResource = (resources: () => Resources) =>
  defineResource({
    name: 'webhook-deliveries',
    table: 'webhook_deliveries',
    singular: 'delivery',
    description: 'The requests to webhooks, and the responses. Kept as long as changes.',
    managed: false,
    versioned: false,
    mcp: false,
    fields: {
      webhook_id: reference('webhooks', { required: true, readOnly: true, searchable: true, onDelete: 'cascade' }),
      resource: text({ readOnly: true, searchable: true, folded: 'stored' }),
      row_id: text({ readOnly: true, searchable: true, folded: 'stored' }),
      operation: text({ readOnly: true, searchable: true, folded: 'stored' }),
      state: oneOf(['waiting', 'delivered', 'failed'], {
        readOnly: true,
        searchable: true,
        sortable: true,
        default: 'waiting',
      }),
      attempts: integer({ readOnly: true, searchable: true }),
      next_attempt_at: timestamp({ readOnly: true }),
      response_status: integer({ readOnly: true, searchable: true }),
      response_body: text({ readOnly: true, description: 'Its beginning' }),
      error: text({ readOnly: true }),
      duration_ms: integer({ label: 'Duration (ms)', readOnly: true }),
      body: json({ label: 'Sent', readOnly: true, description: 'What was sent' }),
      created_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
      delivered_at: timestamp({ readOnly: true, searchable: true, sortable: true }),
    },
    relations: { webhook: belongsTo('webhooks', { by: 'webhook_id' }) },
    access: { read: readDeliveries(resources), write: 'nobody' },
    operations: ['list', 'find'],
    defaultOrder: '-created_at',
  });
