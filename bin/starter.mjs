// Runs on old versions of Node too.
import { readFileSync } from 'node:fs';

/**
 * If a signal ends npm, npm passes it only to its shell. So the service gets the id of this shell, and ends if the shell has ended. If the
 * shell ended before this program could read its id, this process ends at once: another process has adopted it.
 */
export function recordStarter() {
  const { env, ppid, pid } = process;
  const own = processOf('self');
  // A process that leads its session was detached on purpose.
  if (!env.npm_lifecycle_event || own?.session === String(pid)) return;
  if (isAdopted(own, ppid)) {
    console.error('gatehouse: The npm script that started this program has ended.');
    process.exit(0);
  }
  if (!env.GATEHOUSE_STARTED_BY) env.GATEHOUSE_STARTED_BY = String(ppid);
}

/** A parent in another session did not start this process. In a container, npm itself may be process 1. */
function isAdopted(own, ppid) {
  const parent = processOf(ppid);
  if (!own || !parent) return ppid === 1;
  const byNpm = process.env.npm_config_user_agent?.startsWith('npm/');
  return parent.session !== own.session || (ppid === 1 && byNpm && !parent.name.startsWith('npm'));
}

/** Only Linux shows the session of a process. */
function processOf(id) {
  try {
    const [, name, session] = /^\d+ \((.*)\) \S \d+ \d+ (\d+)/s.exec(readFileSync(`/proc/${id}/stat`, 'utf8'));
    return { name, session };
  } catch {}
}
