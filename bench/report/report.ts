import type { ChangesFigures } from '../changes.ts';
import type { CommitFigures } from '../compare-commits.ts';
import type { EngineFigures } from '../compare-engines.ts';
import type { Comparison } from '../compare-operations.ts';
import type { WorkersFigures } from '../compare-workers.ts';
import type { Day } from '../day-of-sessions.ts';
import type { Flame } from '../flames.ts';
import type { GrowthFigures } from '../growth.ts';
import type { IsolationFigures } from '../isolation.ts';

/** The results of a run, part by part. */
export interface Report {
  readonly machine: string;
  readonly node: string;
  readonly load: string;
  /** Compared with another commit. */
  against?: { readonly commit: string; readonly figures: CommitFigures[] };
  operations?: Comparison;
  engines?: EngineFigures[];
  workers?: WorkersFigures[];
  growth?: GrowthFigures[];
  day?: Day;
  isolation?: IsolationFigures;
  changes?: ChangesFigures;
  flames?: Flame[];
}
