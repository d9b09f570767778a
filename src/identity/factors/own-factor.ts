import type { Caller } from '../../platform/caller.ts';
import { equals, type Rule } from '../../resources/declaration/access.ts';

/** Factors belong to a person. A client of that person cannot use them. */
export const own: Rule = ({ kind, userId }: Caller) => kind === 'user' && userId !== null && equals('user_id', userId);
