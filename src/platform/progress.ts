/** Told how far a long work is. */
export interface Progress {
  /** So much more is done. `what` names what is being worked on. */
  advance(by: number, what?: string): void;
  /** To be called in the end, however it came. */
  end(): void;
}

/** Call it when work begins. `total` is 0 when there is nothing to do. */
export type BeginProgress = (total: number, what: string) => Progress;

/** Where nobody watches. */
export const unwatched: BeginProgress = () => ({ advance: () => undefined, end: () => undefined });

/** Steps one after the other, each named as it begins. Nothing is shown where there is none. */
export interface ShownSteps {
  /** `left`: how many there are from this one on. */
  next(what: string, left: number): void;
  /** The step that is under way has done so many rows more. */
  rows(count: number): void;
  end(): void;
}

export function shownSteps(progress: BeginProgress): ShownSteps {
  let shown: Progress | undefined;
  let step = { what: '', rows: 0 };
  return {
    next(what, left) {
      step = { what, rows: 0 };
      if (shown) shown.advance(1, what);
      else shown = progress(left, what);
    },
    rows(count) {
      step.rows += count;
      shown?.advance(0, `${step.what}: ${step.rows.toLocaleString('en')} ${step.rows === 1 ? 'row' : 'rows'}`);
    },
    end() {
      shown?.end();
      shown = undefined;
    },
  };
}
