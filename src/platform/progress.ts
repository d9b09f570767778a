export interface Progress {
  advance(amount: number, activity?: string): void;
  /** Call it at the end, also after a failure. */
  end(): void;
}

/** Call it when work begins. `total` is 0 when there is nothing to do. */
export type BeginProgress = (total: number, activity: string) => Progress;

export const noProgress: BeginProgress = () => ({ advance: () => undefined, end: () => undefined });

export type StepProgress = ReturnType<typeof stepProgress>;

/** The progress of steps that run one after the other. Without steps, nothing is shown. */
export function stepProgress(progress: BeginProgress) {
  let progressBar: Progress | undefined;
  let step = { activity: '', rows: 0 };
  return {
    /** `remainingSteps` includes this step. */
    next(activity: string, remainingSteps: number): void {
      step = { activity, rows: 0 };
      if (progressBar) progressBar.advance(1, activity);
      else progressBar = progress(remainingSteps, activity);
    },
    rows(count: number): void {
      step.rows += count;
      progressBar?.advance(
        0,
        `${step.activity}: ${step.rows.toLocaleString('en')} ${step.rows === 1 ? 'row' : 'rows'}`,
      );
    },
    end(): void {
      progressBar?.end();
      progressBar = undefined;
    },
  };
}
