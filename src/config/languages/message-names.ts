import type { MessagePart } from './message-parts.ts';

/** The names of a message's values and stretches: a translation uses no other. */
export function namesIn(parts: readonly MessagePart[]): Set<string> {
  const names = new Set<string>();
  for (const part of parts) {
    if (typeof part === 'string' || part.kind === 'count') continue;
    names.add(part.kind === 'stretch' ? `<${part.name}>` : part.name);
    const inner = part.kind === 'choice' ? [...part.cases.values()] : part.kind === 'stretch' ? [part.parts] : [];
    for (const parts of inner) for (const name of namesIn(parts)) names.add(name);
  }
  return names;
}
