import type { Caller } from '../../src/platform/caller.ts';
import type { Resource } from '../../src/resources/model/resource.ts';
import { findDocument } from './documents.ts';
import { type Right, rightsOf } from './rights.ts';

interface ToolRequest {
  readonly method?: unknown;
  readonly params?: {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly arguments?: { readonly resource?: unknown; readonly action?: unknown };
  };
}

/** The scopes to request, including the current ones, if a missing scope is the only reason for the refusal. */
export function missingScope(
  resources: readonly Resource[],
  caller: Caller,
  message: unknown,
  now: number,
): string | undefined {
  const resource = resources.find(({ name }) => name === resourceOf(message));
  if (!resource) return undefined;
  const isPossible = (scopes: readonly string[]) => isAllowed(resource, { ...caller, scopes }, message, now);
  if (isPossible(caller.scopes)) return undefined;
  const more = [[resource.readScope], [resource.writeScope], [resource.readScope, resource.writeScope]];
  const enough = more.find((scopes) => isPossible([...caller.scopes, ...scopes]));
  return enough && [...new Set([...caller.scopes, ...enough])].join(' ');
}

/** The resource that a message names, by the arguments of the tools. */
function resourceOf(message: unknown): string | undefined {
  const { method, params } = (message ?? {}) as ToolRequest;
  const { resource, action } = params?.arguments ?? {};
  if (method === 'resources/read') return /^gatehouse:\/\/\/([^/?#]+)/.exec(String(params?.uri))?.[1];
  if (method !== 'tools/call') return undefined;
  if (params?.name === 'act') return String(action).split('.')[0];
  return typeof resource === 'string' ? resource : undefined;
}

function isAllowed(resource: Resource, caller: Caller, message: unknown, now: number): boolean {
  const { method, params } = message as ToolRequest;
  const rights = rightsOf([resource], caller, now);
  if (method === 'resources/read') return findDocument(rights, String(params?.uri)) !== undefined;
  if (params?.name === 'describe') return rights.length > 0;
  return rights.some((those) =>
    params?.name === 'act'
      ? those.actions.some(({ name }) => `${resource.name}.${name}` === params.arguments?.action)
      : those.may.has(params?.name as Right),
  );
}
