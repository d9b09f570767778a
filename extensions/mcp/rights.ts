import { type Caller, hasScope } from '../../src/platform/caller.ts';
import { Problem } from '../../src/platform/errors.ts';
import { type Access, type ActionAccess, evaluateAccess } from '../../src/resources/declaration/access.ts';
import type { Action, Operation } from '../../src/resources/declaration/define-resource.ts';
import { asProofTooOld, withFullProof } from '../../src/resources/declaration/step-up.ts';
import type { Resource, Resources } from '../../src/resources/model/resource.ts';

export type Right = 'list' | 'get' | 'create' | 'update' | 'delete';

/** The rights of one caller for one resource. The API checks again at each call, row by row. */
export interface Rights {
  readonly resource: Resource;
  readonly may: ReadonlySet<Right>;
  readonly actions: readonly Action[];
}

const operationOf: Record<Right, Operation> = {
  list: 'list',
  get: 'find',
  create: 'create',
  update: 'update',
  delete: 'delete',
};

/** The resources that are offered. */
export const mcpResources = (resources: Resources): Resource[] =>
  [...resources.values()].filter(({ definition }) => definition.mcp !== false);

/** The scopes that are of use for a resource. No write scope if nobody may write. */
export function usefulScopes({ definition, readScope, writeScope }: Resource): string[] {
  const { operations, access, actions = [] } = definition;
  const mayWrite = (['create', 'update', 'delete'] as const).some(
    (right) => (!operations || operations.includes(right)) && (access[right] ?? access.write) !== 'nobody',
  );
  const writes = mayWrite || actions.some((action) => !isReading(action));
  return writes ? [readScope, writeScope] : [readScope];
}

/** The caller's rights for each offered resource. Resources without any right are omitted. */
export function rightsOf(resources: readonly Resource[], caller: Caller, now: number): Rights[] {
  return resources
    .map((resource) => ({
      resource,
      may: new Set((Object.keys(operationOf) as Right[]).filter((right) => may(resource, right, caller, now))),
      actions: (resource.definition.actions ?? []).filter((action) => mayAct(resource, action, caller, now)),
    }))
    .filter(({ may: rights, actions }) => rights.size > 0 || actions.length > 0);
}

/** The resource with a name that is already checked. */
export function resourceNamed(rights: readonly Rights[], name: unknown): Resource {
  const found = rights.find(({ resource }) => resource.name === name);
  if (!found) throw new Error(`there are no rights for ${name}`);
  return found.resource;
}

function may({ definition, readScope, writeScope }: Resource, right: Right, caller: Caller, now: number): boolean {
  const { operations, access } = definition;
  if (operations && !operations.includes(operationOf[right])) return false;
  const proven = withPossibleProof(caller, now);
  const isPossible = (rule: Access) => isAllowedByRule(rule, proven, now) !== false;
  if (right === 'list' || right === 'get') return hasScope(caller, readScope) && isPossible(access.read);
  if (!hasScope(caller, writeScope) || !isPossible(access[right] ?? access.write)) return false;
  // A row that the caller cannot see cannot be changed.
  return right === 'create' || isPossible(access.read);
}

export const isReading = ({ method }: Action): boolean => method === 'GET';

function mayAct({ definition, readScope, writeScope }: Resource, action: Action, caller: Caller, now: number): boolean {
  const { access = isReading(action) ? 'read' : 'write', on = 'row' } = action;
  const reads = access === 'read' || (access !== 'write' && isReading(action));
  if (access !== 'public' && !hasScope(caller, reads ? readScope : writeScope)) return false;
  const proven = withPossibleProof(caller, now);
  const decided = isAllowedByRule(ruleOf(definition.access, access, on), proven, now);
  if (on === 'collection') return decided === true;
  return decided !== false && isAllowedByRule(definition.access.read, proven, now) !== false;
}

/** The rule of the action. If it names `read` or `write`, the rule of the resource. On a row, `write` means `update`. */
function ruleOf(rules: Resource['definition']['access'], access: ActionAccess, on: 'row' | 'collection'): Access {
  if (access === 'read') return rules.read;
  if (access === 'write') return on === 'row' ? (rules.update ?? rules.write) : rules.write;
  return access;
}

/** The best proof that the caller can give: users can prove their identity again, clients and personal access tokens cannot. */
const withPossibleProof = (caller: Caller, now: number): Caller =>
  caller.proof.renewable ? withFullProof(caller, now) : caller;

/** A rule may throw a refusal instead of returning false. Here both mean that the tool is not offered. */
function isAllowedByRule(...args: Parameters<typeof evaluateAccess>): ReturnType<typeof evaluateAccess> {
  try {
    return evaluateAccess(...args);
  } catch (error) {
    if (asProofTooOld(error) || (error instanceof Problem && error.status === 403)) return false;
    throw error;
  }
}
