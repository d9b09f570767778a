import assert from 'node:assert/strict';
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
