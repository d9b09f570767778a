import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';
import { compilerFlags } from './serve.ts';

it('every compiler flag of the service exists in this version of V8', () => {
  const help = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  for (const flag of compilerFlags) assert.ok(help.includes(`${flag.split('=')[0]} (`), flag);
});
