import { type IncomingMessage, STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../database/context.ts';
import {
  badRequest,
  conflictingChange,
  type FieldError,
  isRetryableConflict,
  maxFieldErrors,
  OAuthError,
  Problem,
  reasonOf,
  unavailable,
  unprocessable,
} from '../../platform/errors.ts';
import type { App } from '../app.ts';
import { resourceMetadataHint } from '../gate/unauthorized.ts';
import { networkOf } from '../network-of.ts';
import { errorDetail, oauthErrorBody, problemBody } from './error-bodies.ts';

const problemsByCode = new Map([
  [
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    new Problem(
      415,
      'Unsupported Media Type',
      'Send the body as application/json, application/x-www-form-urlencoded or multipart/form-data.',
      { code: 'unsupported_media_type' },
    ),
  ],
  [
    'FST_ERR_CTP_BODY_TOO_LARGE',
    new Problem(413, 'Content Too Large', 'The body is larger than 1 MiB.', { code: 'body_too_large' }),
  ],
  ['FST_ERR_BAD_URL', badRequest('The path is not valid percent-encoded UTF-8.', 'encoding_invalid')],
  [
    'FST_ERR_MAX_PARAM_LENGTH',
    new Problem(414, 'URI Too Long', 'A segment of the path is too long.', { code: 'url_too_long' }),
  ],
  [
    'FST_ERR_CTP_INVALID_CONTENT_LENGTH',
    badRequest('The length of the body differs from Content-Length.', 'body_invalid'),
  ],
  // SQLSTATE of a text that PostgreSQL cannot store.
  ['22021', badRequest('A parameter contains a NUL character.', 'encoding_invalid')],
  // A file that is loaded at its first use is missing while another version is installed in its place.
  ['ERR_MODULE_NOT_FOUND', unavailable('The files of the service are being replaced. Try again shortly.', 30)],
]);

export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  // The operator's code can throw anything: null, or an error of another library whose members have the same names.
  const error = (thrown ?? {}) as Error & Partial<FastifyError>;
  const problem = problemsByCode.get(error.code ?? '');
  if (problem) return problem;
  if (isRetryableConflict(thrown)) return conflictingChange(reasonOf(thrown));
  if (error.code === 'FST_ERR_VALIDATION') return validationProblem(error);
  const status = error.statusCode ?? 500;
  if (Number.isInteger(status) && status >= 400 && status < 500) {
    return new Problem(status, STATUS_CODES[status] ?? 'Bad Request', error.message, { code: 'bad_request' });
  }
  return new Problem(
    500,
    'Internal Server Error',
    'Something went wrong in the service. The log has the details under the request id.',
    { code: 'internal_error' },
  );
}

/** An invalid body gets 422 with one entry per field. An invalid query string or path gets 400. */
function validationProblem({ validation, validationContext }: Partial<FastifyError>): Problem {
  if (
    validationContext === 'body' &&
    validation?.some(({ instancePath, keyword }) => !instancePath && keyword === 'type')
  ) {
    return badRequest('There is no body; send a JSON object or a form.', 'body_empty');
  }
  const errors = fieldErrors(validation ?? []);
  if (validationContext === 'body') return unprocessable(errors);
  return new Problem(400, 'Bad Request', errors.map(({ message }) => message).join(' '), { code: 'parameter_invalid' });
}

function fieldErrors(validation: NonNullable<FastifyError['validation']>): FieldError[] {
  const byField = new Map<string, FieldError>();
  // Each member of a union reports its own error. The error for the caller lists the values of all members.
  const constants = Map.groupBy(
    validation.filter(({ keyword }) => keyword === 'const'),
    ({ instancePath }) => instancePath,
  );
  for (const { instancePath, keyword, params, message } of validation) {
    const property = params.missingProperty ?? params.additionalProperty;
    const field = [...instancePath.split('/').slice(1), ...(typeof property === 'string' ? [property] : [])].join('.');
    if (!byField.has(field)) {
      const allowedValues = constants.get(instancePath)?.map((constant) => constant.params.allowedValue);
      const error = fieldError(field.slice(0, 100), keyword, { allowedValues, ...params }, message);
      byField.set(field, { field, ...error });
    }
    if (byField.size >= maxFieldErrors) break;
  }
  return [...byField.values()];
}

function fieldError(field: string, keyword: string, params: Record<string, unknown>, message = 'is not acceptable') {
  if (keyword === 'required') return { code: 'required', message: `${field} is required.` };
  if (keyword === 'additionalProperties')
    return { code: 'unknown', message: `${field} is not a field that can be sent here.` };
  if (keyword === 'anyOf' || keyword === 'oneOf')
    return { code: keyword, message: `${field || 'The value'} has none of the forms that are accepted here.` };
  const values = Array.isArray(params.allowedValues) ? params.allowedValues.map(String) : undefined;
  const allowed = values?.join(', ');
  if (keyword === 'const') {
    return { code: 'enum', message: `${field || 'The value'} must be one of: ${allowed}.`, values };
  }
  const limit = typeof params.limit === 'number' ? params.limit : undefined;
  const expected = allowed === undefined ? '' : `: ${allowed}`;
  return { code: keyword, message: `${field || 'The value'} ${message}${expected}.`, limit, values };
}

function sendProblem(reply: FastifyReply, problem: Problem): void {
  reply
    .code(problem.status)
    .header('content-type', 'application/problem+json')
    .send(problemBody(problem, reply.request.id));
}

function sendOAuthError(reply: FastifyReply, error: OAuthError | Problem): void {
  reply
    .code(error.status)
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send(oauthErrorBody(error));
}

const errorFormatOf = (request: FastifyRequest) => request.errorFormat ?? request.route.config.errors;

function wantsPage(request: FastifyRequest): boolean {
  const form = errorFormatOf(request);
  if (form) return form === 'page';
  return request.is404 && !request.url.startsWith('/v1') && (request.headers.accept ?? '').includes('text/html');
}

/** A rejected body up to this length is still read to its end. */
const maxDrainedBytes = 16 * 1024 * 1024;

/**
 * Reads and discards the rest of a body, within limits of length and time. Closing the connection earlier would reset
 * it, and the client would lose the response.
 */
async function drainBody(body: IncomingMessage): Promise<void> {
  if (Number(body.headers['content-length'] ?? 0) > maxDrainedBytes) return;
  await new Promise<void>((resolve) => {
    let discarded = 0;
    const timer = setTimeout(resolve, 5000);
    const stopDraining = () => {
      clearTimeout(timer);
      resolve();
    };
    body.on('data', (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > maxDrainedBytes) stopDraining();
    });
    body.once('close', stopDraining).once('end', stopDraining);
    if (body.readableEnded || body.destroyed) stopDraining();
  });
}

/**
 * If a route failed before it identified its caller: counts the request for the address. Returns the 429 error if the limit is exceeded.
 */
function countUnknownCaller(request: FastifyRequest, reply: FastifyReply): Problem | undefined {
  if (request.counted || request.route.config.limited !== 'when-known') return undefined;
  try {
    reply.countRequest(networkOf(request.ip ?? ''));
  } catch (tooMany) {
    return toProblem(tooMany);
  }
  return undefined;
}

/** If a route set a header that Node refuses to send, the error response would fail too. */
function removeInvalidHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    try {
      validateHeaderName(name);
      for (const each of [value].flat()) validateHeaderValue(name, each as string);
    } catch {
      reply.removeHeader(name);
      // Node has set the text of the first status.
      reply.raw.statusMessage = '';
    }
  }
}

const resourceOf = ({ routeOptions }: FastifyRequest): string | undefined => routeOptions.config?.resource;

/** Responds to thrown errors. The response has the public message only. The reason goes to the log. */
export function setErrorHandler(app: App, { log, config }: Context): void {
  app.setErrorHandler(async (error: FastifyError | Problem | OAuthError, request, reply) => {
    const response = countUnknownCaller(request, reply) ?? (error instanceof OAuthError ? error : toProblem(error));
    if (response.status >= 500) removeInvalidHeaders(reply);
    // RFC 9110 15.5.2: every 401 response has a challenge.
    if (response.status === 401) reply.header('www-authenticate', 'Bearer realm="gatehouse"');
    reply.headers(response.headers);
    const challenge = response.headers['WWW-Authenticate'];
    if (challenge?.startsWith('Bearer')) {
      reply.header('www-authenticate', challenge + resourceMetadataHint(config.baseUrl, resourceOf(request)));
    }
    if (response.status === 413) await drainBody(request.raw);
    if (response.status >= 500)
      log.error({ requestId: request.id, err: error, reason: response.reason }, 'request failed');
    else if (response.reason) log.info({ requestId: request.id, reason: response.reason }, 'request rejected');
    if (wantsPage(request) && app.errorPage) {
      const title = response instanceof Problem ? response.title : 'Bad Request';
      const code = response instanceof Problem ? response.code : response.error;
      return app.errorPage(reply, response.status, title, errorDetail(response), code);
    }
    if (response instanceof OAuthError || errorFormatOf(request) === 'oauth') sendOAuthError(reply, response);
    else sendProblem(reply, response);
    return reply;
  });
}
