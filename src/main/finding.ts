import { formatEnglish, type MessageValues } from '../config/languages/format-message.ts';
import { Problem, reasonOf } from '../platform/errors.ts';
import { redactSecrets } from '../platform/log.ts';

/** The result of one check. An `error` makes the command fail. A `notice` may be intended. */
export interface Finding {
  readonly part: string;
  readonly state: 'ok' | 'notice' | 'error';
  readonly summary: string;
  readonly fix?: string;
  /** Both texts as messages with values, so that the console can translate them. */
  readonly message?: { readonly summary: string; readonly fix: string; readonly values: MessageValues };
}

export const ok = (part: string, summary: string): Finding => ({ part, state: 'ok', summary });

const findingOf =
  (state: 'notice' | 'error') =>
  (part: string, summary: string, fix: string, values: MessageValues = {}): Finding => ({
    part,
    state,
    summary: formatEnglish(summary, values),
    fix: formatEnglish(fix, values),
    message: { summary, fix, values },
  });

/** Both texts are keys in the console's message files (test/languages/message-files.test.ts). */
export const notice = findingOf('notice');
export const errorFinding = findingOf('error');

export const explain = (error: unknown): string => {
  const message = reasonOf(error);
  return redactSecrets(error instanceof Problem && error.reason ? `${message} (${error.reason})` : message);
};
