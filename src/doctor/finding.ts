/** What one look found. `wrong` makes the command fail; `notice` is for the operator to weigh. */
export interface Finding {
  readonly part: string;
  readonly state: 'ok' | 'notice' | 'wrong';
  readonly what: string;
  /** What to do about it. */
  readonly mend?: string;
}

export const ok = (part: string, what: string): Finding => ({ part, state: 'ok', what });
export const notice = (part: string, what: string, mend: string): Finding => ({ part, state: 'notice', what, mend });
export const wrong = (part: string, what: string, mend: string): Finding => ({ part, state: 'wrong', what, mend });
