import { readFileSync } from 'node:fs';
import { startedByNpm, starterPid } from '../../config/config.ts';
import type { RunningService } from '../../main/start.ts';

/** Running work gets this long to finish. Then the process ends anyway. */
export const stopTimeoutMs = 10_000;

/** The exit codes of a start that a signal ended. A service manager stops a service with SIGTERM, so that is no failure. */
const exitCodes = { SIGTERM: 0, SIGINT: 130, SIGHUP: 129 } as const;

/** The reason to stop, and the exit code if it interrupts a start. */
interface StopRequest {
  readonly cause: string;
  readonly exitCode: number;
  /** Resolves at a second request to stop: then the process must not wait any longer. */
  readonly secondRequest: Promise<void>;
}

/** Resolves on a stop signal, or when npm dies without one: an orphaned server would keep the port. */
export function stopRequested(): Promise<StopRequest> {
  return new Promise((resolve) => {
    const { promise: again, resolve: stopAgain } = Promise.withResolvers<void>();
    let isStopping = false;
    const requestStop = (cause: string, exitCode: number) => {
      if (isStopping) stopAgain();
      isStopping = true;
      resolve({ cause, exitCode, secondRequest: again });
    };
    for (const [signal, exitCode] of Object.entries(exitCodes)) process.on(signal, () => requestStop(signal, exitCode));
    // The listener of main.ts; others may belong to a preloaded program. Without any listener in between, Node would lose a signal that has
    // arrived since the last turn of the event loop.
    for (const each of process.listeners('SIGTERM')) if (each.name === 'exitEarly') process.off('SIGTERM', each);
    const stopAfterStarter = () => requestStop('the process that started it has ended', exitCodes.SIGTERM);
    process.once('disconnect', stopAfterStarter);
    const starter = starterPid();
    if (!isRunning(starter)) return stopAfterStarter();
    const ancestors = npmAncestors();
    if (ancestors === undefined && starter === undefined) return;
    const watch = setInterval(() => {
      if (npmAncestors() === ancestors && isRunning(starter)) return;
      clearInterval(watch);
      stopAfterStarter();
    }, 500).unref();
  });
}

/** Starts the service. Exits at once if a stop is requested during the start: the database rolls back unfinished work. */
export async function startUnlessStopped(start: Promise<RunningService>, requested: Promise<StopRequest>) {
  const first = await Promise.race([start, requested]);
  if ('cause' in first) process.exit(first.exitCode);
  return first;
}

/** Lets load balancers switch to other instances first. Only on SIGTERM: a person at a terminal should not wait. */
async function drain(service: RunningService, { cause, secondRequest }: StopRequest): Promise<void> {
  const { config, log } = service.context;
  const seconds = config.drainSeconds;
  if (cause !== 'SIGTERM' || seconds === 0) return;
  service.drain();
  log.info({ cause, seconds }, 'draining');
  let timer: NodeJS.Timeout | undefined;
  const drainTime = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, seconds * 1000);
  });
  await Promise.race([drainTime, secondRequest]);
  clearTimeout(timer);
}

/** Drains, finishes running work and ends the process. */
export async function stopAndExit(service: RunningService, request: StopRequest): Promise<never> {
  const { log } = service.context;
  await drain(service, request);
  log.info({ cause: request.cause }, 'stopping');
  const deadline = setTimeout(() => {
    log.warn('some requests did not finish in time');
    process.exit(0);
  }, stopTimeoutMs);
  await service.stop();
  clearTimeout(deadline);
  log.info('stopped');
  // All work is done, even if a library still holds a handle.
  process.exit(0);
}

function isRunning(pid: number | undefined): boolean {
  try {
    return pid === undefined || process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Between npm and the service there are at most a shell and a wrapper for an older Node. */
const maxAncestors = 4;

/** The process ids up to npm; undefined without npm. Only Linux shows more than the parent. */
function npmAncestors(): string | undefined {
  if (!startedByNpm()) return undefined;
  if (process.platform !== 'linux') return String(process.ppid);
  const pids: number[] = [];
  for (let pid = process.ppid; pids.length < maxAncestors && pid > 1; ) {
    const match = /^\d+ \((.*)\) \S (\d+)/s.exec(readStat(pid));
    if (!match) break;
    pids.push(pid);
    if (match[1]?.startsWith('npm')) return pids.join(' ');
    pid = Number(match[2]);
  }
  return undefined;
}

function readStat(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}
