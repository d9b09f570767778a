import type { Context } from '../../database/context.ts';
import { serviceVersion } from '../../platform/version.ts';
import { checkDatabase } from '../doctor/check-database.ts';
import { checkMail } from '../doctor/check-mail.ts';
import { checkSettings } from '../doctor/check-settings.ts';
import type { Extension } from '../extension.ts';

const cacheMs = 60_000;

/** Returns the findings of `gatehouse doctor` for the running service. Requests within a minute share one run. */
export function createDiagnosis(context: Context, extensions: readonly Extension[]) {
  const startedAt = context.now();
  let last: { readonly at: number; readonly result: ReturnType<typeof examine> } | undefined;
  return () => {
    const at = context.now();
    if (last && at - last.at < cacheMs) return last.result;
    const result = examine(context, extensions, startedAt);
    last = { at, result };
    result.catch(() => {
      last = undefined;
    });
    return result;
  };
}

async function examine({ config, database, now }: Context, extensions: readonly Extension[], startedAt: number) {
  const [inDatabase, mail] = await Promise.all([checkDatabase({ config, database, now }), checkMail(config)]);
  const others = await Promise.all(extensions.map((extension) => extension.findings?.() ?? []));
  return {
    version: serviceVersion,
    node: process.versions.node,
    database: database.engine,
    started_at: new Date(startedAt).toISOString(),
    findings: [...checkSettings(config), ...inDatabase, mail, ...others.flat()],
  };
}
