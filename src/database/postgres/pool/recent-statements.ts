import type pg from 'pg';

const maxPrepared = 50;
const maxRecentTexts = 500;
/** A longer text is planned each time. */
const maxTextLength = 5000;

interface Prepared {
  /** By text, in the order of their last use. */
  readonly names: Map<string, string>;
  count: number;
}

const recentTexts = new Set<string>();
const preparedByClient = new WeakMap<pg.ClientBase, Prepared>();

/**
 * Returns the name under which a connection prepares a text that callers influence, such as a search. Two searches for different values
 * have the same text. Callers can produce any number of texts. So only a repeated text is prepared, and the least recently used ones are
 * dropped.
 */
export async function statementNameOf(client: pg.ClientBase, text: string): Promise<string | undefined> {
  if (text.length > maxTextLength) return undefined;
  const prepared = preparedByClient.get(client) ?? { names: new Map(), count: 0 };
  const preparedName = prepared.names.get(text);
  if (preparedName) {
    prepared.names.delete(text);
    prepared.names.set(text, preparedName);
    return preparedName;
  }
  if (!recentTexts.delete(text)) {
    rememberText(text);
    return undefined;
  }
  rememberText(text);
  preparedByClient.set(client, prepared);
  const name = `r${prepared.count++}`;
  prepared.names.set(text, name);
  if (prepared.names.size > maxPrepared) await deallocateOldest(client, prepared);
  return name;
}

function rememberText(text: string): void {
  recentTexts.add(text);
  if (recentTexts.size > maxRecentTexts) recentTexts.delete(recentTexts.values().next().value as string);
}

async function deallocateOldest(client: pg.ClientBase, { names }: Prepared): Promise<void> {
  const [text, name] = names.entries().next().value as [string, string];
  names.delete(text);
  const { parsedStatements } = client.connection;
  // A statement that failed to parse was never prepared.
  if (!(name in parsedStatements)) return;
  // If the connection is broken, the next statement reports it.
  await client.query(`deallocate ${name}`).catch(() => undefined);
  delete parsedStatements[name];
}
