import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { inRoot } from './processes.mjs';

/**
 * Runs one installation or build at a time. If `npm start` and `npm test` start together in a new clone, the second one
 * waits.
 */
export async function withLock(work) {
  const lock = inRoot('.install-and-build.lock');
  for (let notified = false; !acquireLock(lock); notified = true) {
    if (!notified)
      console.log(
        'Waiting for another Gatehouse command that installs packages or builds the console… (If there is none: delete .install-and-build.lock.)',
      );
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const release = () => rmSync(lock, { force: true });
  // The process exits if `work` fails.
  process.once('exit', release);
  await work();
  process.off('exit', release);
  release();
}

/** Acquires the lock. Returns false while another process has it. Removes the lock of a process that has ended. */
function acquireLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    const holder = Number(readFileSync(lock, 'utf8'));
    if (holder > 0) process.kill(holder, 0);
    return false;
  } catch (error) {
    if (error.code === 'ESRCH') rmSync(lock, { force: true });
    return false;
  }
}
