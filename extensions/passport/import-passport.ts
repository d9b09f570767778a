import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Config } from '../../src/config/config.ts';
import type { Context } from '../../src/database/context.ts';
import type { Database } from '../../src/database/database.ts';
import { openKeyRing } from '../../src/database/keys/key-ring.ts';
import { migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { knownScopes } from '../../src/main/builtin-resources.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { copyTables } from './import/copy-store.ts';
import { verifyToken } from './import/logins/verify-token.ts';
import { makePlan } from './import/make-plan.ts';
import type { ImportSettings, Plan, Progress } from './import/pass.ts';
import { readMapFile } from './import/read-map-file.ts';
import { readClientScopes, readScopeFile } from './import/read-scope-file.ts';
import { runPass } from './import/run-pass.ts';
import { readCondition } from './import/users/disable-where.ts';
import { LegacyKeys } from './legacy-tokens/legacy-keys.ts';
import { acceptable, type DecisionCode, isAcceptable } from './report/decision-codes.ts';
import { Findings, type Report } from './report/report.ts';
import { databaseOfEnv, readLaravelEnv } from './source/laravel-env.ts';
import { openSource } from './source/open-source.ts';
import type { Source } from './source/source.ts';

/** The options of the command line. */
export interface ImportOptions
  extends Omit<
    ImportSettings,
    'env' | 'envPath' | 'scopes' | 'map' | 'publicKeyPath' | 'clientScopes' | 'disableWhere'
  > {
  readonly from: string | undefined;
  readonly env: string | undefined;
  readonly publicKey: string | undefined;
  readonly scopesFile: string | undefined;
  readonly mapFile: string | undefined;
  /** The scopes that clients can request, by client id: separated by commas, or `none`. */
  readonly clientScopes: ReadonlyMap<string, string>;
  readonly disableWhere: readonly string[];
  readonly accept: readonly string[];
  readonly verify: readonly string[];
}

export interface ImportListeners {
  progress?(progress: Progress): void;
  /** Called with the result of `--verify`. */
  verified?(result: string): void;
}

/** The dependencies of the command. Without `now`, it uses the database's clock, like the service. */
type Base = Omit<Context, 'database' | 'now'> & { readonly now?: () => number };

/** Imports a Passport or Apiato service. The old database is never written. With `dryRun`, nothing is written. */
export async function importPassport(base: Base, options: ImportOptions, listeners: ImportListeners = {}) {
  const { config } = base;
  const { workingDir } = config;
  const path = (optionPath: string | undefined) =>
    optionPath === undefined ? undefined : resolve(workingDir, optionPath);
  const envPath = path(options.env);
  const env = envPath === undefined ? new Map<string, string>() : readLaravelEnv(envPath);
  const from = options.from ?? databaseOfEnv(env);
  if (from === undefined)
    throw new OperatorError('Say where the database of the old service is: --from, or --env with its .env file.');
  const knownScopesOfService = await knownScopes(config);
  const accepted = readAccepted(options.accept);
  const settings: ImportSettings = {
    ...options,
    env,
    envPath,
    scopes: readScopeFile(path(options.scopesFile), knownScopesOfService),
    map: readMapFile(path(options.mapFile), knownScopesOfService),
    clientScopes: readClientScopes(options.clientScopes, knownScopesOfService),
    disableWhere: options.disableWhere.map(readCondition),
    publicKeyPath: path(options.publicKey),
  };
  const source = await openSource(from, workingDir);
  try {
    const plan = await makePlan(source, settings);
    for (const token of options.verify) {
      const result = await verifyToken(source, plan, token, (base.now ?? Date.now)());
      listeners.verified?.(result);
    }
    const take = (context: Context) => takeOver(context, { source, plan, findings: new Findings(accepted) }, listeners);
    return await (plan.dryRun ? onCopy({ now: Date.now, ...base }, take) : onDatabase(base, take));
  } finally {
    await source.close();
  }
}

async function takeOver(
  context: Context,
  { source, plan, findings }: { source: Source; plan: Plan; findings: Findings },
  listeners: ImportListeners,
): Promise<Report> {
  return runPass({
    at: context.now(),
    context,
    keys: await openKeyRing(context),
    legacyKeys: new LegacyKeys(context),
    source,
    plan,
    findings,
    progress: (progress) => listeners.progress?.(progress),
  });
}

function readAccepted(codes: readonly string[]): ReadonlySet<DecisionCode> {
  const invalid = codes.find((code) => !isAcceptable(code));
  if (invalid === undefined) return new Set(codes.filter(isAcceptable));
  throw new OperatorError(
    `--accept: there is no decision "${invalid}" that can be accepted. Expected one of: ${Object.keys(acceptable).join(', ')}.`,
  );
}

async function onDatabase<T>(base: Base, work: (context: Context) => Promise<T>): Promise<T> {
  const database = await openDatabase(base.config);
  try {
    const now = base.now ?? database.now;
    await migrate(database, now);
    return await work({ ...base, database, now });
  } finally {
    await database.close();
  }
}

/** Runs work on a temporary copy of the service's data. The results are real, but nothing is kept. */
async function onCopy<T>(context: Omit<Context, 'database'>, work: (copy: Context) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-dry-run-'));
  const { config } = context;
  const copied: Config = { ...config, databaseUrl: `sqlite:${join(dir, 'copy.db')}`, dataDir: dir };
  try {
    const database = await openDatabase(copied);
    try {
      await migrate(database, context.now);
      await withExisting(config, (existing) => copyTables(existing, database));
      return await work({ ...context, config: copied, database });
    } finally {
      await database.close();
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Before the first start there is no database. Then none is created. */
async function withExisting(config: Config, work: (database: Database) => Promise<void>): Promise<void> {
  const { databaseUrl, workingDir } = config;
  if (databaseUrl.startsWith('sqlite:') && !existsSync(resolve(workingDir, databaseUrl.slice('sqlite:'.length))))
    return;
  const database = await openDatabase(config);
  try {
    await work(database);
  } finally {
    await database.close();
  }
}
