import { isObject } from '../../platform/is-object.ts';
import type { Call } from '../declaration/define-resource.ts';
import type { Resource } from '../model/resource.ts';
import type { ResourceServices } from '../model/resource-services.ts';

interface Sent {
  readonly call: Pick<Call, 'caller' | 'source'>;
  readonly body: unknown;
}

const name = 'current_password';

/**
 * Contract 5.9: `current_password` in the body is a proof for this request. Returns the request with the proven caller, and the body
 * without the password. If the operator has declared a field with that name, it is an ordinary field.
 */
export async function withProof<S extends Sent>(
  { proveByPassword }: Pick<ResourceServices, 'proveByPassword'>,
  { definition }: Pick<Resource, 'definition'>,
  sent: S,
): Promise<S> {
  const { call, body } = sent;
  if (!isObject(body) || !Object.hasOwn(body, name)) return sent;
  if (definition.managed && name in definition.fields) return sent;
  const { [name]: password, ...rest } = body;
  if (password === undefined || password === null || password === '') return { ...sent, body: rest };
  return { ...sent, call: { ...call, caller: await proveByPassword(call, password) }, body: rest };
}
