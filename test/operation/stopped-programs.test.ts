import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { root, startedProcesses } from '../harness/starts.ts';

const start = startedProcesses();
const inner = `console.log('ready'); setInterval(() => undefined, 1000);`;
const outer = `
  const { run } = await import(${JSON.stringify(`${root}scripts/processes.mjs`)});
  await run(process.execPath, ['--eval', ${JSON.stringify(inner)}], { orElse: () => false });
  console.log('went on');`;

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  it(`A program that is stopped by ${signal} ends its script, which tries no alternative`, async () => {
    const command = [process.execPath, '--input-type=module', '--eval', outer] as const;
    const { child, says, end, printed } = start({ name: 'script', command, anywhere: true }, root, {});
    await says(/ready/);
    child.kill(signal);
    assert.deepEqual(await end, [code, null], printed());
    assert.doesNotMatch(printed(), /went on/);
  });
}

it('A start does not lose a SIGTERM that arrives before its process is replaced', async () => {
  const preload = `
    const { execve } = process;
    process.execve = (...args) => {
      process.kill(process.pid, 'SIGTERM');
      execve(...args);
    };`;
  const command = [
    process.execPath,
    '--import',
    `data:text/javascript,${encodeURIComponent(preload)}`,
    `${root}bin/gatehouse.mjs`,
    'serve',
  ] as const;
  // With a lost signal, the process would report this setting.
  const { end, printed } = start({ name: 'gatehouse serve', command, anywhere: true }, root, { PORT: 'invalid' });
  assert.deepEqual(await end, [null, 'SIGTERM'], printed());
});

it('A start does not lose a SIGTERM that arrives while the program is loaded', async () => {
  const script = `
    const { stopRequested } = await import(${JSON.stringify(`${root}src/cli/terminal/stopping.ts`)});
    process.on('SIGTERM', function exitEarly() {});
    setTimeout(() => process.exit(1), 1000);
    process.kill(process.pid, 'SIGTERM');
    console.log((await stopRequested()).cause);
    process.exit(0);`;
  const command = [process.execPath, '--input-type=module', '--eval', script] as const;
  const { end, printed } = start({ name: 'script', command, anywhere: true }, root, {});
  assert.deepEqual(await end, [0, null], printed());
  assert.equal(printed(), 'SIGTERM\n');
});

it('A start that npm began ends if the shell of npm has ended in the meantime', async () => {
  const script = `
    const { stopRequested } = await import(${JSON.stringify(`${root}src/cli/terminal/stopping.ts`)});
    setTimeout(() => process.exit(1), 1000);
    console.log((await stopRequested()).cause);
    process.exit(0);`;
  const command = [process.execPath, '--input-type=module', '--eval', script] as const;
  const shell = start({ name: 'shell', command: ['true'], anywhere: true }, root, {});
  await shell.end;
  const env = (pid: number | undefined) => ({ npm_lifecycle_event: 'start', GATEHOUSE_STARTED_BY: String(pid) });
  const ended = start({ name: 'script', command, anywhere: true }, root, env(shell.child.pid));
  assert.deepEqual(await ended.end, [0, null], ended.printed());
  assert.equal(ended.printed(), 'the process that started it has ended\n');
  const running = start({ name: 'script', command, anywhere: true }, root, env(process.pid));
  assert.deepEqual(await running.end, [1, null], running.printed());
});

it('A start that npm began ends if the shell of npm ends later', async () => {
  const script = `
    const { stopRequested } = await import(${JSON.stringify(`${root}src/cli/terminal/stopping.ts`)});
    const requested = stopRequested();
    setTimeout(() => process.exit(1), 10_000);
    console.log('loaded');
    console.log((await requested).cause);
    process.exit(0);`;
  const command = [process.execPath, '--input-type=module', '--eval', script] as const;
  const shell = start({ name: 'shell', command: ['sleep', '60'], anywhere: true }, root, {});
  const env = { npm_lifecycle_event: 'start', GATEHOUSE_STARTED_BY: String(shell.child.pid) };
  const { says, end, printed } = start({ name: 'script', command, anywhere: true }, root, env);
  await says(/loaded/);
  shell.child.kill();
  assert.deepEqual(await end, [0, null], printed());
});

for (const program of ['scripts/run.mjs', 'bin/gatehouse.mjs']) {
  it(`${program} ends if the shell of npm has ended before the program runs`, async () => {
    const preload = `
      while (process.ppid === Number(process.env.SHELL_PID));
      process.on("exit", (code) => console.log("exit code", code));`;
    const options = `--import 'data:text/javascript,${encodeURIComponent(preload)}'`;
    const line = `SHELL_PID=$$ '${process.execPath}' ${options} '${root}${program}' serve &`;
    const env = { npm_lifecycle_event: 'start', PORT: 'invalid' };
    const { child, printed } = start({ name: 'shell', command: ['sh', '-c', line], anywhere: true }, root, env);
    // The shell ends first. Its output closes when the program has ended too.
    await once(child, 'close');
    assert.equal(printed(), 'gatehouse: The npm script that started this program has ended.\nexit code 0\n');
  });
}

it('A program that npm began ends if the shell of npm has ended', async () => {
  const script = `
    const { run } = await import(${JSON.stringify(`${root}scripts/processes.mjs`)});
    const stoppable = "process.on('SIGTERM', () => process.exit(console.log('stopped')));";
    await run(process.execPath, ['--eval', stoppable + ${JSON.stringify(inner)}]);`;
  const command = ['sh', '-c', '"$NODE" --input-type=module --eval "$SCRIPT"; true'] as const;
  const env = { NODE: process.execPath, SCRIPT: script, npm_lifecycle_event: 'bench' };
  const { child, says } = start({ name: 'shell', command, anywhere: true }, root, env);
  await says(/ready/);
  child.kill('SIGKILL');
  await says(/stopped/);
});
