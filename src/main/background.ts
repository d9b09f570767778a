import type { Context } from '../database/context.ts';

export interface BackgroundJob {
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<unknown>;
}

/** Runs each job at its own interval, never twice at the same time. A failure is logged, and the job runs again at the next interval. */
export function runInBackground({ log }: Context, jobs: readonly BackgroundJob[]): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>();
  const timers = jobs.map(({ name, everyMs, run }) => {
    let busy = false;
    const once = async () => {
      busy = true;
      try {
        await run();
      } catch (error) {
        log.warn({ err: error, job: name }, 'a background task failed and will run again');
      } finally {
        busy = false;
      }
    };
    return setInterval(() => {
      if (busy) return;
      const attempt = once();
      running.add(attempt);
      void attempt.finally(() => running.delete(attempt));
    }, everyMs).unref();
  });
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
    },
  };
}
