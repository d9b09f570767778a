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
 * Contract 5.9: `current_password` in the body is a proof for this request. Returns the request with the proven caller, and the body
 * without the password. If the operator has declared a field with that name, it is an ordinary field.
 */
export async function withPasswordProof<S extends RequestWithBody>(
  { proveByPassword }: Pick<ResourceServices, 'proveByPassword'>,
  { definition }: Pick<Resource, 'definition'>,
  sent: S,
): Promise<S> {
  const { call, body } = sent;
  if (!isObject(body) || !Object.hasOwn(body, passwordField)) return sent;
  if (definition.managed && passwordField in definition.fields) return sent;
  const { [passwordField]: password, ...rest } = body;
  if (password === undefined || password === null || password === '') return { ...sent, body: rest };
  return { ...sent, call: { ...call, caller: await proveByPassword(call, password) }, body: rest };
}
