import type { Context } from '../database/context.ts';

export interface BackgroundJob {
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<unknown>;
}

/** Runs each job at its own interval, never twice at the same time. A failure is logged, and the job runs again at the next interval. */
export function runInBackground(
  { log }: Pick<Context, 'log'>,
  jobs: readonly BackgroundJob[],
): { stop(): Promise<void> } {
  const running = new Map<BackgroundJob, Promise<void>>();
  const runOnce = async (job: BackgroundJob) => {
    try {
      await job.run();
    } catch (error) {
      log.warn({ err: error, job: job.name }, 'a background task failed and will run again');
    }
  };
  const timers = jobs.map((job) =>
    setInterval(() => {
      if (!running.has(job))
        running.set(
          job,
          runOnce(job).finally(() => running.delete(job)),
        );
    }, job.everyMs).unref(),
  );
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running.values());
    },
  };
}
