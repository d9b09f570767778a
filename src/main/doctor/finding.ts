import { formatEnglish } from '../../config/languages/format-english.ts';
import type { MessageValues } from '../../config/languages/format-message.ts';
import { Problem } from '../../platform/errors.ts';
import { withoutSecrets } from '../../platform/log.ts';

/** The result of one check. `wrong` makes the command fail; `notice` is for the operator to judge. */
export interface Finding {
  readonly part: string;
  readonly state: 'ok' | 'notice' | 'wrong';
  readonly what: string;
  /** How to fix it. */
  readonly mend?: string;
  /** Both texts as messages with values, so that the console can translate them. */
  readonly message?: { readonly what: string; readonly mend: string; readonly values: MessageValues };
}

export const ok = (part: string, what: string): Finding => ({ part, state: 'ok', what });

type Complain = (part: string, what: string, mend: string, values?: MessageValues) => Finding;

/** The sentences are in the message files of the console (test/languages/message-files.test.ts). */
export const notice: Complain = (...complaint) => complain('notice', ...complaint);
export const wrong: Complain = (...complaint) => complain('wrong', ...complaint);

function complain(state: 'notice' | 'wrong', ...[part, what, mend, values = {}]: Parameters<Complain>): Finding {
  return {
    part,
    state,
    what: formatEnglish(what, values),
    mend: formatEnglish(mend, values),
    message: { what, mend, values },
  };
}

/** An error for an operator, with its reason and without secrets. */
export const explain = (error: unknown): string => {
  const { message } = error as Error;
  return withoutSecrets(error instanceof Problem && error.reason ? `${message} (${error.reason})` : message);
};
