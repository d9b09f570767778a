/** The supervisor of a service with several processes (WORKERS). It loads no code that serves requests. */
export const loadSupervisor = () => import('../../extensions/workers/start-workers.ts');

/** One of these processes. */
export const loadWorker = () => import('../../extensions/workers/run-worker.ts');
