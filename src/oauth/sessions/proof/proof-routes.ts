import { Type } from 'typebox';
import type { LockAuthority } from '../../../database/change-as.ts';
import type { Context } from '../../../database/context.ts';
import type { App } from '../../../http/app.ts';
import { noValidation } from '../../../http/no-validation.ts';
import { requestSource } from '../../../http/request-source.ts';
import type { Caller } from '../../../platform/caller.ts';
import { asObject } from '../../../platform/is-object.ts';
import type { ProofMethods } from './proof-methods.ts';
import { renewProof, requireRenewableSession } from './renew-proof.ts';

const Proof = Type.Object({
  auth_time: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'The time at which the owner of the session last authenticated. A refresh does not change it.',
  }),
  amr: Type.Array(Type.String(), { description: 'The authentication methods (RFC 8176).' }),
  acr: Type.Union([Type.String(), Type.Null()], {
    description: 'urn:gatehouse:1 (one factor), urn:gatehouse:2 (two factors), phr (phishing-resistant).',
  }),
});

const proofJson = ({ time, amr, acr }: { time: number | null; amr: readonly string[]; acr: string | null }) => ({
  auth_time: time === null ? null : new Date(time).toISOString(),
  amr: [...amr],
  acr,
});

/** Shows the proof of the caller's session and the ways to renew it, and renews it. */
export function serveProofs(
  app: App,
  context: Context,
  { lockAuthority, methods }: { readonly lockAuthority: LockAuthority; readonly methods: ProofMethods },
): void {
  const offeredMethods = async ({ userId }: Caller): Promise<string[]> => {
    const names: string[] = [];
    if (userId === null) return names;
    for (const [name, method] of methods) if (await method.isOffered(userId)) names.push(name);
    return names;
  };

  app.get(
    '/v1/sessions/current',
    {
      config: { auth: 'auth:api' },
      schema: {
        tags: ['sessions'],
        summary: 'Show the current session, and how its owner can renew the proof of identity',
        response: {
          200: Type.Object({
            data: Type.Object({
              id: Type.String(),
              ...Proof.properties,
              proof_methods: Type.Array(Type.String(), {
                description: 'The members that this user can send to POST /v1/sessions/current/proofs.',
              }),
            }),
          }),
        },
      },
    },
    async ({ caller }) => {
      const id = requireRenewableSession(caller);
      return { data: { id, ...proofJson(caller.proof), proof_methods: await offeredMethods(caller) } };
    },
  );

  app.post(
    '/v1/sessions/current/proofs',
    {
      ...noValidation,
      config: { auth: 'auth:api' },
      schema: {
        tags: ['sessions'],
        summary: 'Renew the proof of identity',
        description:
          'Renews the proof of the session (RFC 9470), for operations that return 401 `proof_too_old`. The same token stays valid. ' +
          'A request with several members reaches a higher level.',
        body: Type.Object({ password: Type.Optional(Type.String()) }, { additionalProperties: true }),
        response: { 201: Type.Object({ data: Proof }) },
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const renewal = { caller, body: asObject(body), source: requestSource(request) };
      const proof = await renewProof(context, lockAuthority, methods, renewal);
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ data: proofJson(proof) });
    },
  );
}
