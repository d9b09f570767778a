import { Problem } from '../../platform/errors.ts';
import { withoutSecrets } from '../../platform/log.ts';

/** An error for an operator, with its reason and without secrets. */
export const explain = (error: unknown): string => {
  const { message } = error as Error;
  return withoutSecrets(error instanceof Problem && error.reason ? `${message} (${error.reason})` : message);
};
