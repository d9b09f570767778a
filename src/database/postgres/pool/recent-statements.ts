import type pg from 'pg';

/** Statements of searches that a connection keeps prepared. */
const mostPrepared = 50;
/** Texts that are remembered until they come again. */
const mostSeen = 500;
/** A longer text is planned each time. */
const longestText = 5000;

interface Prepared {
  /** By text, in the order of their last use. */
  readonly names: Map<string, string>;
  count: number;
}

const seen = new Set<string>();
const byClient = new WeakMap<pg.ClientBase, Prepared>();

/**
 * The name under which a connection prepares a text that callers choose, such as a search. Two searches for different values have
 * the same text. There is no limit to the texts that callers can make, so a text has to come twice, and a connection
 * forgets the texts that were not used for the longest time.
 */
export async function recentName(client: pg.ClientBase, text: string): Promise<string | undefined> {
  if (text.length > longestText) return undefined;
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
  if (prepared.names.size > mostPrepared) await forgetOldest(client, prepared);
  return name;
}

function remember(text: string): void {
  seen.add(text);
  if (seen.size > mostSeen) seen.delete(seen.values().next().value as string);
}

async function forgetOldest(client: pg.ClientBase, { names }: Prepared): Promise<void> {
  const [text, name] = names.entries().next().value as [string, string];
  names.delete(text);
  const { parsedStatements } = client.connection;
  // A statement that failed to parse was never prepared.
  if (!(name in parsedStatements)) return;
  // If the connection is broken, the statement that follows says so.
  await client.query(`deallocate ${name}`).catch(() => undefined);
  delete parsedStatements[name];
}
