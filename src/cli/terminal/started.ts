import type { RunningGatehouse } from '../../start.ts';
import type { RunningWorkers } from '../../workers/start-workers.ts';

/** A service that answers, in this process or in several. */
export type Started = RunningGatehouse | RunningWorkers;
