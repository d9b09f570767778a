import { wrongParameter } from '../write/refusals.ts';
import type { Position } from './sorting.ts';

/** Server keys that mark what the service made itself. */
export interface MacKeys {
  mac(purpose: string, data: string): string;
  /** Under each key that counts, the current one's first. */
  macs(purpose: string, data: string): string[];
  matches(purpose: string, data: string, mac: string): boolean;
}

const purpose = 'list-cursor';

/** Where a list goes on: bound to the list and its order, and of no use when changed. */
export function writeCursor(keys: MacKeys, list: string, signature: string, { values, id }: Position): string {
  const data = Buffer.from(JSON.stringify([id, ...values])).toString('base64url');
  return `${data}.${keys.mac(purpose, `${list} ${signature} ${data}`)}`;
}

export function readCursor(keys: MacKeys, list: string, signature: string, cursor: string): Position {
  const [data = '', mac = '', ...rest] = cursor.split('.');
  if (rest.length > 0 || !keys.matches(purpose, `${list} ${signature} ${data}`, mac)) {
    throw wrongParameter(
      'cursor: it is not one that this list gave for this order. Take next_cursor of the last page, or start with an empty cursor.',
    );
  }
  const [id, ...values] = JSON.parse(Buffer.from(data, 'base64url').toString()) as [string, ...unknown[]];
  return { id, values };
}
