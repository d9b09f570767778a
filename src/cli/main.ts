import cluster from 'node:cluster';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Only later imports use the cache, so this file has no static imports except modules of Node.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url)));

/** While the program is loaded. A worker ends together with the primary process. `stopping.ts` finds the listener by its name. */
const exitEarly = () => (cluster.isWorker ? undefined : process.exit(0));
if (process.argv[2] === 'serve') process.on('SIGTERM', exitEarly);
else {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader such as `head` may close the pipe early. The command ends with its own exit code.
    if (error.code === 'EPIPE') return;
    console.error(`gatehouse: the output could not be written: ${error.message}`);
    process.exit(1);
  });
}

const { runCommand } = await import('./run-command.ts');
const code = await runCommand(process.argv.slice(2));
// A failed start may leave threads, timers and a channel to its wrapper open. The process ends anyway.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
process.exit(code);
