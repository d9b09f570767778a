import { readFileSync } from 'node:fs';
import { startedByNpm } from '../../config/config.ts';

/** npm, a shell of its, a wrapper for an older Node: more stand between npm and the service nowhere. */
const mostSteps = 4;

/**
 * The processes between npm, which started this one, and it. The answer changes when one of them is gone. Undefined where
 * npm is not among them. Elsewhere than on Linux, only the parent is known.
 */
export function npmAncestors(): string | undefined {
  if (!startedByNpm()) return undefined;
  if (process.platform !== 'linux') return String(process.ppid);
  const pids: number[] = [];
  for (let pid = process.ppid; pids.length < mostSteps && pid > 1; ) {
    const found = /^\d+ \((.*)\) \S (\d+)/s.exec(readStat(pid));
    if (!found) break;
    pids.push(pid);
    if (found[1]?.startsWith('npm')) return pids.join(' ');
    pid = Number(found[2]);
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
