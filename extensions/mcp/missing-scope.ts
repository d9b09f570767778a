import type { Caller } from '../../src/platform/caller.ts';
import { asObject } from '../../src/platform/is-object.ts';
import type { Resource } from '../../src/resources/model/resource.ts';
import { findDocument } from './documents.ts';
import { rightsOf } from './rights.ts';

function readRequest(message: unknown) {
  const { method, params } = asObject(message);
  const { name, uri, arguments: callArguments } = asObject(params);
  const { resource, action } = asObject(callArguments);
  return { method, name, uri, resource, action };
}

/** The scopes to request, including the current ones, if a missing scope is the only reason for the refusal. */
export function missingScope(resources: readonly Resource[], caller: Caller, message: unknown, now: number) {
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
  const { method, name, uri, resource, action } = readRequest(message);
  if (method === 'resources/read') return /^gatehouse:\/\/\/([^/?#]+)/.exec(String(uri))?.[1];
  if (method !== 'tools/call') return undefined;
  if (name === 'act') return String(action).split('.')[0];
  return typeof resource === 'string' ? resource : undefined;
}

function isAllowed(resource: Resource, caller: Caller, message: unknown, now: number): boolean {
  const { method, name, uri, action } = readRequest(message);
  const rights = rightsOf([resource], caller, now);
  if (method === 'resources/read') return findDocument(rights, String(uri)) !== undefined;
  if (name === 'describe') return rights.length > 0;
  return rights.some((resourceRights) =>
    name === 'act'
      ? resourceRights.actions.some((each) => `${resource.name}.${each.name}` === action)
      : [...resourceRights.may].some((right) => right === name),
  );
}
