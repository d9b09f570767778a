import { Type } from 'typebox';
import type { App } from '../../src/http/app.ts';
import { noValidation } from '../../src/http/no-validation.ts';
import { requestSource } from '../../src/http/request-source.ts';
import { readSingleField } from '../../src/identity/accounts/user-fields.ts';
import { networkLimits, requireWithinLimits } from '../../src/identity/throttle/throttle.ts';
import type { OAuth } from '../../src/oauth/oauth.ts';
import { unprocessable } from '../../src/platform/errors.ts';
import { asObject } from '../../src/platform/is-object.ts';

const maxReports = 100;

/** For secret scanners, and for people who find a token: docs/secret-scanning.md. */
export function serveTokenReports(app: App, oauth: OAuth): void {
  app.post(
    '/v1/token-reports',
    {
      ...noValidation,
      config: { auth: 'public' },
      schema: {
        tags: ['tokens'],
        summary: 'Report a leaked token: Gatehouse revokes it and notifies its owner',
        description:
          'Accepts personal access tokens, client secrets, registration tokens, access tokens and refresh tokens.',
        body: Type.Object({ token: Type.String() }, { additionalProperties: false }),
        response: { 202: Type.Object({ message: Type.String() }) },
      },
    },
    async (request, reply) => {
      const token = readSingleField(asObject(request.body), 'token');
      if (token === undefined || token === null || token === '') {
        throw unprocessable([{ field: 'token', code: 'required', message: 'token is required.' }]);
      }
      if (typeof token !== 'string') {
        throw unprocessable([{ field: 'token', code: 'type', message: 'token must be text.' }]);
      }
      const source = requestSource(request);
      const limits = networkLimits('token-report', source.address, maxReports);
      await requireWithinLimits(oauth.context, limits, 'Too many reports. Wait before you send more.');
      const { reportToken } = await import('./report-token.ts');
      await reportToken(oauth, { token, source });
      return reply.code(202).send({ message: 'Thank you. If this is a token of this service, it is revoked.' });
    },
  );
}
