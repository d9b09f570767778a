/** The functions that declare a field: `t.text()`, `t.integer()`. */
export { boolean } from './boolean.ts';
export { computed } from './computed.ts';
export { date } from './date.ts';
export { decimal } from './decimal.ts';
export { json } from './json.ts';
export { list } from './list.ts';
export { integer, number } from './numeric.ts';
export { oneOf } from './one-of.ts';
export { reference } from './reference.ts';
export { text } from './text.ts';
export { timestamp } from './timestamp.ts';
export { uuid } from './uuid.ts';
