import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { exitOnEarlySigterm } from './terminal/stopping.ts';

// Before anything else is loaded: a second start skips stripping types and compiling.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url)));

if (process.argv[2] === 'serve') exitOnEarlySigterm();

const { runCommand } = await import('./run-command.ts');
const code = await runCommand(process.argv.slice(2));
// A start that failed may have opened threads, timers and a channel to its wrapper: the process ends all the same.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
process.exit(code);
