import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { importFile } from './import-file.ts';

describe('A project file with an error', () => {
  // Outside the repository, because other tests read its files at the same time.
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-import-file-'));
  after(() => rmSync(dir, { recursive: true, force: true }));
  const write = (name: string, ...lines: string[]): string => {
    writeFileSync(join(dir, name), lines.join('\n'));
    return join(dir, name);
  };
  const refused = (file: string, ...says: RegExp[]) =>
    assert.rejects(importFile(file), (error: Error) => {
      assert.equal(error.name, 'OperatorError');
      for (const each of says) assert.match(error.message, each);
      return true;
    });

  it('is reported with line and column, in TypeScript and in JavaScript', async () => {
    const lines = ['export default {', "  name: 'a'", '  fields: {},', '};'];
    await refused(write('a.ts', ...lines), /\/a\.ts:3:3 could not be read: Expected ','.*\n {6}fields: \{\},\n {6}\^$/);
    await refused(write('a.mjs', ...lines), /\/a\.mjs:3:3 could not be read: Unexpected identifier 'fields'\n/);
    await refused(write('end.ts', 'export default {'), /\/end\.ts:1:17 could not be read/);
    await refused(write('b.mjs', "import './a.mjs';"), /\/a\.mjs:3:3 could not be read/);
  });

  it('is reported with the call that threw', async () => {
    await refused(write('c.ts', 'export default {', '  a: nope(),', '};'), /\/c\.ts:2:6 .*nope is not defined/);
    await refused(write('d.ts', "throw 'no';"), /\/d\.ts could not be read: it throws no/);
  });

  it('is reported with the missing import and the nearest existing name', async () => {
    await refused(write('e.ts', '', "import x from './gone.ts';", 'x();'), /\/e\.ts:2:15 .*gone\.ts/);
    await refused(
      write('f.ts', "import { defineResourc, text } from 'gatehouse-server/resources';", 'defineResourc(text);'),
      /\/f\.ts:1:10 .*named 'defineResourc'\. Did you mean "defineResource"\?/,
    );
    await refused(
      write('g.ts', "import { InputFor } from 'gatehouse-server/resources';", 'export type A = InputFor;'),
      /\/g\.ts:1:10 .*`import type`/,
    );
    await refused(
      write('h.ts', "import 'gatehouse-server/resource';"),
      /\/h\.ts:1:8 .*Did you mean "gatehouse-server\/resources"\?/,
    );
    await refused(
      write('i.ts', "import 'gatehouse-server/seed';"),
      /\/i\.ts:1:8 .*Did you mean "gatehouse-server\/seeds"\?/,
    );
  });
});

describe('A project file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-import-file-'));
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('can be in any folder and import Gatehouse from there', async () => {
    const file = join(dir, 'notes.ts');
    const declaration = "{ name: 'notes', fields: { title: text() }, access: { read: 'public', write: 'auth:api' } }";
    writeFileSync(
      file,
      `import { defineResource, text } from 'gatehouse-server/resources';\nexport default defineResource(${declaration});`,
    );
    const { default: declared } = await importFile(file);
    assert.equal((declared as { name: string }).name, 'notes');
  });

  it('is reported with a wrong import from there, too', async () => {
    const file = join(dir, 'wrong.ts');
    writeFileSync(file, "import 'gatehouse-server/resource';");
    await assert.rejects(importFile(file), /wrong\.ts:1:8 .*Did you mean "gatehouse-server\/resources"\?/);
  });
});
