import { humanizeName } from '../text/presentation.ts';
import { findMessage, translate } from '../text/translate.ts';

type Problem = Record<string, unknown>;

/**
 * Translates the errors in a response of the service, which are in English. The message is found by the sentence or by the code of an
 * error.
 */
export async function translateErrors(response: Response): Promise<Response> {
  const isBatch = response.url.endsWith('/batches');
  if ((response.ok && !isBatch) || !/json/.test(response.headers.get('content-type') ?? '')) return response;
  const body: unknown = await response.json().catch(() => undefined);
  const translated = isObject(body) ? (isBatch ? translateBatch(body) : translateProblem(body)) : body;
  const { status, statusText, headers } = response;
  return new Response(JSON.stringify(translated), { status, statusText, headers });
}

const isObject = (value: unknown): value is Problem => typeof value === 'object' && value !== null;

function translateBatch({ data, ...rest }: Problem): Problem {
  if (!Array.isArray(data)) return translateProblem(rest);
  const translated = data.map((result: Problem) =>
    isObject(result?.error) ? { ...result, error: translateProblem(result.error) } : result,
  );
  return { ...rest, data: translated };
}

function translateProblem(problem: Problem): Problem {
  const detail = String(problem.detail ?? problem.error_description ?? '');
  const translated =
    findMessage(detail) ?? findMessage(`problem.${problem.code ?? problem.error}`, { detail }) ?? detail;
  return {
    ...problem,
    ...(typeof problem.error === 'string' ? { error_description: translated } : { detail: translated }),
    ...(Array.isArray(problem.errors) ? { errors: problem.errors.map(translateFieldError) } : {}),
  };
}

function translateFieldError(error: Problem): Problem {
  const { field, code, message } = error;
  const detail = String(message);
  const limit = String(error.limit ?? '');
  // A declared hint is a separate sentence. The operator may have translated it.
  const listed = Array.isArray(error.values) ? error.values.map((value) => translate(String(value))) : [];
  const values = { detail, limit, field: translate(humanizeName(String(field))), values: listed.join(', ') };
  const translated = findMessage(`field_error.${field}.${code}`, values) ?? findMessage(`field_error.${code}`, values);
  return { ...error, message: translated ?? detail };
}
