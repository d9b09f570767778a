import type { Macs } from '../../database/keys/mac-keys.ts';
import { invalidParameter } from '../../http/errors/parameter-errors.ts';
import { parseJson } from '../../platform/json-text.ts';
import type { CursorPosition } from './sorting.ts';

const purpose = 'list-cursor';

/** A signed position of cursor pagination. It is bound to the list and its order. */
export function writeCursor(keys: Macs, list: string, signature: string, { values, id }: CursorPosition): string {
  const data = Buffer.from(JSON.stringify([id, ...values])).toString('base64url');
  return `${data}.${keys.mac(purpose, `${list} ${signature} ${data}`)}`;
}

export function readCursor(keys: Macs, list: string, signature: string, cursor: string): CursorPosition {
  const [data = '', mac = '', ...rest] = cursor.split('.');
  if (rest.length > 0 || !keys.matches(purpose, `${list} ${signature} ${data}`, mac)) {
    throw invalidParameter(
      'cursor: it does not belong to this list and this order. Use next_cursor of the last page, or start with an empty cursor.',
    );
  }
  const [id, ...values] = parseJson<[string, ...unknown[]]>(Buffer.from(data, 'base64url').toString());
  return { id, values };
}
