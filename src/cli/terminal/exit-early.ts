import cluster from 'node:cluster';

/** Ends a process that is still loading the program. A worker ends together with the primary process. */
export const exitEarly = (): void => (cluster.isWorker ? undefined : process.exit(0));
