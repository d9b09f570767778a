import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { paint, paintError } from './paint.ts';
import { tableOf } from './table.ts';

const { FORCE_COLOR, NO_COLOR } = process.env;
const put = (name: 'FORCE_COLOR' | 'NO_COLOR', value: string | undefined) => {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
};
describe('Colours', () => {
  beforeEach(() => {
    put('FORCE_COLOR', undefined);
    put('NO_COLOR', undefined);
  });
  afterEach(() => {
    put('FORCE_COLOR', FORCE_COLOR);
    put('NO_COLOR', NO_COLOR);
  });

  test('FORCE_COLOR turns colours on or off, and NO_COLOR turns them off', () => {
    put('FORCE_COLOR', '1');
    assert.deepEqual(
      [paint('green', 'ok'), paintError('red', 'no')],
      ['\u001b[32mok\u001b[39m', '\u001b[31mno\u001b[39m'],
    );
    put('FORCE_COLOR', '0');
    assert.deepEqual([paint('green', 'ok'), paintError('red', 'no')], ['ok', 'no']);
    put('FORCE_COLOR', undefined);
    put('NO_COLOR', '1');
    assert.equal(paint('green', 'ok'), 'ok');
  });

  test('a state in a table is coloured, and the columns stay aligned', () => {
    put('FORCE_COLOR', '1');
    const rows = [
      { email: 'ada@example.com', disabled: true, roles: 'admin' },
      { email: 'true', disabled: false, roles: '' },
    ];
    const [heading, first, second] = tableOf(rows, undefined, {}).lines as [string, string, string];
    assert.ok(heading.startsWith('\u001b[1memail'));
    assert.ok(first.endsWith('\u001b[31mtrue\u001b[39m      admin'), first);
    assert.equal(second, stripVTControlCharacters(second), 'only the column of a state is coloured');
    assert.equal(stripVTControlCharacters(first).indexOf('admin'), stripVTControlCharacters(heading).indexOf('roles'));
  });
});
