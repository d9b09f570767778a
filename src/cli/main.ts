import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { exitEarly } from './terminal/exit-early.ts';

// Before all other imports: only what is imported later is cached.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url)));

if (process.argv[2] === 'serve') process.on('SIGTERM', exitEarly);

const { runCommand } = await import('./run-command.ts');
const code = await runCommand(process.argv.slice(2));
// A failed start may leave threads, timers and a channel to its wrapper open. The process ends anyway.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
process.exit(code);
