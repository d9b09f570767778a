import type { RunningGatehouse } from '../../main/start.ts';
import type { RunningWorkers } from '../../main/workers/start-workers.ts';

/** A service that answers, in this process or in several. */
export type Started = RunningGatehouse | RunningWorkers;
