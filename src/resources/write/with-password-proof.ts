import { isObject } from '../../platform/is-object.ts';
import type { Call } from '../declaration/define-resource.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';

interface RequestWithBody {
  readonly call: Pick<Call, 'caller' | 'source'>;
  readonly body: unknown;
}

const passwordField = 'current_password';

/**
 * `current_password` in the body is a proof for this request. Returns the request with the proven caller, and the body
 * without the password. If the operator has declared a field with that name, it is an ordinary field.
 */
export async function withPasswordProof<S extends RequestWithBody>(
  { proveByPassword }: Pick<ResourceServices, 'proveByPassword'>,
  { definition }: Pick<Resource, 'definition'>,
  request: S,
): Promise<S> {
  const { call, body } = request;
  if (!isObject(body) || !Object.hasOwn(body, passwordField)) return request;
  if (definition.managed && passwordField in definition.fields) return request;
  const { [passwordField]: password, ...bodyWithoutPassword } = body;
  if (password === undefined || password === null || password === '') return { ...request, body: bodyWithoutPassword };
  return { ...request, call: { ...call, caller: await proveByPassword(call, password) }, body: bodyWithoutPassword };
}
