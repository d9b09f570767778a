import type { Tx } from '../../../../src/database/database.ts';
import { loadProviders } from '../../../providers/declaration/load-providers.ts';
import { deleteIdentity, insertIdentity } from '../../../providers/sign-in/identity-store.ts';
import {
  deleteLegacyIds,
  findLegacyIds,
  type LegacyIdRow,
  listUnseen,
  saveLegacyIds,
} from '../../legacy-tokens/legacy-id-store.ts';
import { select } from '../../source/layout.ts';
import { pages } from '../../source/source.ts';
import { batchSize, type Pass } from '../pass.ts';
import { findSocialSources, type SocialSource } from './social-sources.ts';
import { findUsersByIds, inBatch } from './user-target-store.ts';

const origin = 'identities';

/** Providers for which Socialite's user id is the subject. For Microsoft it is not. The operator names others. */
const sameSubject = ['google', 'github', 'gitlab', 'facebook', 'apple', 'discord'];

interface Provider {
  readonly name: string;
  readonly issuer: string;
}

/** One account at a provider, as Socialite kept it. */
interface Linked {
  readonly user: string;
  readonly provider: string;
  readonly subject: string;
}

/** Imports the accounts at Google and other providers from Socialite. */
export async function importIdentities(pass: Pass): Promise<void> {
  const sources = findSocialSources(pass.plan);
  if (sources.length === 0) return;
  const providers = await loadProviders(pass.context.config);
  const find = (old: string): Provider | undefined => {
    const name = pass.plan.social.get(old) ?? (sameSubject.includes(old) ? old : undefined);
    return providers.find((provider) => provider.name === name);
  };
  for (const source of sources) await takeSource(pass, source, find);
}

async function takeSource(pass: Pass, source: SocialSource, find: (old: string) => Provider | undefined) {
  const from = select(source.table, 'id', [source.userKey, source.provider, source.subject]);
  for await (const rows of pages(pass.source, from, batchSize)) {
    const linked = rows.flatMap((row) => {
      const { [source.userKey]: user, [source.provider]: provider, [source.subject]: subject } = row;
      return user && provider && subject ? [{ user, provider: provider.toLowerCase(), subject }] : [];
    });
    if (linked.length > 0) await inBatch(pass.context.database, (tx) => takeRows(pass, tx, source.users, linked, find));
  }
}

async function takeRows(
  pass: Pass,
  tx: Tx,
  users: string,
  rows: readonly Linked[],
  find: (old: string) => Provider | undefined,
): Promise<void> {
  const keyOf = ({ provider, subject }: Linked) => `${provider} ${subject}`;
  const people = await findLegacyIds(
    tx,
    users,
    rows.map(({ user }) => user),
  );
  const existing = await findUsersByIds(
    tx,
    [...people.values()].map(({ new_id }) => new_id),
  );
  const legacyIds = await findLegacyIds(tx, origin, rows.map(keyOf));
  const seen = new Map<string, LegacyIdRow>();
  for (const row of rows) {
    const { user, provider: old, subject } = row;
    const userId = people.get(user)?.new_id;
    const before = legacyIds.get(keyOf(row));
    const provider = find(old);
    // The user was not imported, or was deleted here.
    if (userId === undefined || !existing.has(userId)) continue;
    if (!provider) {
      pass.findings.decide(
        'identities',
        `Sign-ins with "${old}" were not imported: set up a provider for it here, and if it has another name here, add --social ${old}=NAME. Its subjects must be the ids that Socialite stored`,
        `${users} ${user}`,
      );
      if (before) seen.set(before.old_id, { ...before, pass: pass.number });
      continue;
    }
    // The table has the same row twice.
    if (seen.get(keyOf(row))?.fingerprint === userId) continue;
    // An identity that was unlinked here stays unlinked.
    const linked =
      before?.fingerprint === userId
        ? { ...before, pass: pass.number }
        : await link(pass, tx, { userId, provider, subject }, keyOf(row));
    if (linked) seen.set(linked.old_id, linked);
  }
  await saveLegacyIds(tx, [...seen.values()]);
}

async function link(
  { at, number, findings }: Pass,
  tx: Tx,
  { userId, provider, subject }: { userId: string; provider: Provider; subject: string },
  key: string,
): Promise<LegacyIdRow | undefined> {
  const identity = { provider: provider.name, issuer: provider.issuer, subject, email: null };
  const id = await insertIdentity(tx, identity, { userId, now: at });
  if (id === undefined) {
    findings.decide('identities', 'Provider accounts that belong to two users: the first user keeps the account', key);
    return undefined;
  }
  findings.addNote('Accounts at providers (Socialite) that were imported');
  return { source: origin, old_id: key, new_id: id, fingerprint: userId, version: 1, pass: number };
}

/** Unlinks identities that were unlinked in the old service since the previous pass. */
export async function endUnlinked(pass: Pass): Promise<void> {
  if (findSocialSources(pass.plan).length === 0) return;
  for (;;) {
    const rows = await listUnseen(pass.context.database.db, origin, pass.number, batchSize);
    if (rows.length === 0) return;
    await inBatch(pass.context.database, async (tx) => {
      for (const { new_id } of rows) await deleteIdentity(tx, new_id);
      await deleteLegacyIds(
        tx,
        origin,
        rows.map(({ old_id }) => old_id),
      );
    });
  }
}
