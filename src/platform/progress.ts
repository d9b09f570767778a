export interface Progress {
  /** `what` names the current work. */
  advance(by: number, what?: string): void;
  /** Call it at the end, also after a failure. */
  end(): void;
}

/** Call it when work begins. `total` is 0 when there is nothing to do. */
export type BeginProgress = (total: number, what: string) => Progress;

export const noProgress: BeginProgress = () => ({ advance: () => undefined, end: () => undefined });

export type StepProgress = ReturnType<typeof stepProgress>;

/** The progress of steps that run one after the other. Without steps, nothing is shown. */
export function stepProgress(progress: BeginProgress) {
  let shown: Progress | undefined;
  let step = { what: '', rows: 0 };
  return {
    /** `left`: the number of steps, including this one. */
    next(what: string, left: number): void {
      step = { what, rows: 0 };
      if (shown) shown.advance(1, what);
      else shown = progress(left, what);
    },
    rows(count: number): void {
      step.rows += count;
      shown?.advance(0, `${step.what}: ${step.rows.toLocaleString('en')} ${step.rows === 1 ? 'row' : 'rows'}`);
    },
    end(): void {
      shown?.end();
      shown = undefined;
    },
  };
}
