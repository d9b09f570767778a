import type { Tx } from '../../database/database.ts';

export async function readKnownSettings(tx: Tx): Promise<Map<string, string>> {
  const rows = await tx.selectFrom('known_settings').selectAll().execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}

export async function writeKnownSettings(tx: Tx, settings: ReadonlyMap<string, string>): Promise<void> {
  await tx.deleteFrom('known_settings').execute();
  const values = [...settings].map(([name, value]) => ({ name, value }));
  await tx.insertInto('known_settings').values(values).execute();
}
