import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { exitOnEarlySigterm } from './terminal/stopping.ts';

// Before all other imports: the next start skips stripping types and compiling.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url)));

if (process.argv[2] === 'serve') exitOnEarlySigterm();

const { runCommand } = await import('./run-command.ts');
const code = await runCommand(process.argv.slice(2));
// A failed start may leave threads, timers and a channel to its wrapper open. The process ends anyway.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
process.exit(code);
