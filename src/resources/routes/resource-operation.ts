import type { Action, Operation } from '../declaration/define-resource.ts';
import type { Resource, ResourceRelation } from '../model/resource.ts';
import type { BatchOperation } from '../write/write-batch.ts';

/** What a route does. The OpenAPI document describes the route by this. */
export type ResourceOperation =
  | { readonly kind: Operation | 'restore'; readonly resource: Resource }
  | { readonly kind: 'batch'; readonly resource: Resource; readonly operation: BatchOperation }
  | {
      readonly kind: 'nested';
      readonly resource: Resource;
      readonly relation: ResourceRelation;
      readonly operation: 'list' | 'create';
    }
  | {
      readonly kind: 'action';
      readonly resource: Resource;
      readonly action: Action;
      readonly access: 'read' | 'write' | 'public';
    }
  /** Describes all resources. */
  | { readonly kind: 'describe' };

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: ResourceOperation;
  }
}
