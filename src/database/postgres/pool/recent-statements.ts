import type pg from 'pg';

const maxPrepared = 50;
const maxSeen = 500;
/** A longer text is planned each time. */
const maxTextLength = 5000;

interface Prepared {
  /** By text, in the order of their last use. */
  readonly names: Map<string, string>;
  count: number;
}

const seen = new Set<string>();
const byClient = new WeakMap<pg.ClientBase, Prepared>();

/**
 * Returns the name under which a connection prepares a text that callers influence, such as a search. Two searches for different values
 * have the same text. Callers can produce any number of texts. So only a repeated text is prepared, and the least recently used ones are
 * dropped.
 */
export async function statementNameOf(client: pg.ClientBase, text: string): Promise<string | undefined> {
  if (text.length > maxTextLength) return undefined;
  const prepared = byClient.get(client) ?? { names: new Map(), count: 0 };
  const known = prepared.names.get(text);
  if (known) {
    prepared.names.delete(text);
    prepared.names.set(text, known);
    return known;
  }
  if (!seen.delete(text)) {
    remember(text);
    return undefined;
  }
  remember(text);
  byClient.set(client, prepared);
  const name = `r${prepared.count++}`;
  prepared.names.set(text, name);
  if (prepared.names.size > maxPrepared) await forgetOldest(client, prepared);
  return name;
}

function remember(text: string): void {
  seen.add(text);
  if (seen.size > maxSeen) seen.delete(seen.values().next().value as string);
}

async function forgetOldest(client: pg.ClientBase, { names }: Prepared): Promise<void> {
  const [text, name] = names.entries().next().value as [string, string];
  names.delete(text);
  const { parsedStatements } = client.connection;
  // A statement that failed to parse was never prepared.
  if (!(name in parsedStatements)) return;
  // If the connection is broken, the next statement reports it.
  await client.query(`deallocate ${name}`).catch(() => undefined);
  delete parsedStatements[name];
}
