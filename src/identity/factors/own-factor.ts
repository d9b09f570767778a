import type { Caller } from '../../platform/caller.ts';
import { equals, type Rule } from '../../resources/declaration/access.ts';

/** What a person has. A client of theirs is not the person. */
export const own: Rule = ({ kind, userId }: Caller) => kind === 'user' && userId !== null && equals('user_id', userId);
