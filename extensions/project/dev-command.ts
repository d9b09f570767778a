import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { readPort } from '../../src/cli/terminal/option-values.ts';
import { stopRequested } from '../../src/cli/terminal/stopping.ts';
import { packageFolder } from '../../src/platform/version.ts';

const program = fileURLToPath(new URL('bin/gatehouse.mjs', packageFolder));
/** Editors write a file in several steps. */
const settleMs = 100;

export function addDev(commands: Command): void {
  commands
    .command('dev')
    .summary('Start the service, and restart it after changes.')
    .description(
      'Start the service, and restart it when a file of the project changes. If a declaration has an error, the command reports it and the service keeps running.',
    )
    .option('--port <port>', 'the port to listen on (PORT)', readPort)
    .addHelpText('after', '\nExamples:\n  gatehouse dev\n  gatehouse dev --port 4000')
    .action(async ({ port }: { port?: string }) => {
      const requested = stopRequested();
      const supervisor = new Supervisor(['serve', ...(port ? ['--port', port] : [])]);
      const watcher = watch(process.cwd(), { recursive: true }, (_event, name) => {
        if (name && belongsToProject(name)) supervisor.changed(name);
      });
      supervisor.changed(undefined);
      await requested;
      watcher.close();
      await supervisor.stop();
    });
}

/** Excludes data, packages and version control, which change all the time. */
function belongsToProject(name: string): boolean {
  if (name === '.env') return true;
  const parts = name.split(sep);
  if (parts.some((part) => part === 'node_modules' || part === 'data' || part.startsWith('.'))) return false;
  if (/\.(test|d)\.\w+$/.test(name)) return false;
  // At the top level, only code counts: other files, such as the `tokens.json` of the tutorial, are left by people and scripts.
  if (parts.length === 1) return name === 'package.json' || /\.(ts|js|mjs)$/.test(name);
  return /\.(ts|js|mjs|html|php|txt|json)$/.test(name);
}

/** Keeps one service running. A change is checked first, and replaces the running service only if it is valid. */
class Supervisor {
  readonly #args: readonly string[];
  #service: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(args: readonly string[]) {
    this.#args = args;
  }

  changed(name: string | undefined): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#working = this.#working.then(() => this.#startAgain(name));
    }, settleMs);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#working;
    await this.#end();
  }

  async #startAgain(name: string | undefined): Promise<void> {
    if (this.#stopped) return;
    if (name !== undefined) console.log(`\n${name} has changed.`);
    if (!(await isValid())) {
      console.log(
        this.#service
          ? 'The service keeps running with the previous files. Waiting for a change…'
          : 'Waiting for a change…',
      );
      return;
    }
    await this.#end();
    if (this.#stopped) return;
    const service = spawn(process.execPath, [program, ...this.#args], { stdio: ['ignore', 'inherit', 'inherit'] });
    this.#service = service;
    service.once('exit', (code) => {
      if (this.#service !== service) return;
      this.#service = undefined;
      if (code !== 0 && !this.#stopped) console.log('Waiting for a change…');
    });
  }

  async #end(): Promise<void> {
    const service = this.#service;
    if (!service) return;
    this.#service = undefined;
    const ended = new Promise((resolve) => service.once('exit', resolve));
    // Not SIGTERM: there are no other instances to switch to.
    service.kill('SIGINT');
    await ended;
  }
}

/** Runs `gatehouse types` in its own process, because this one would cache the imports. It reports errors itself. */
function isValid(): Promise<boolean> {
  const check = spawn(process.execPath, [program, 'types'], { stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((resolve) => check.once('exit', (code) => resolve(code === 0)));
}
