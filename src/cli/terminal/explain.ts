import { OAuthError, OperatorError, Problem } from '../../platform/errors.ts';
import { redactSecrets } from '../../platform/log.ts';

/** Errors that the operator can fix are one line. Unexpected errors have their stack. */
export function explain(error: unknown): string {
  if (error instanceof Problem) {
    // The message of the API refers to its errors, so they are listed here.
    const fields = (error.errors ?? []).map(({ message }) => message).join('\n  ');
    return `${fields || error.message}${error.reason ? ` (${redactSecrets(error.reason)})` : ''}`;
  }
  if (error instanceof OperatorError || error instanceof OAuthError) return error.message;
  // An error of the file system names the file and the operation.
  if (error instanceof Error && 'path' in error && 'syscall' in error) return `${error.message}.`;
  return redactSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
