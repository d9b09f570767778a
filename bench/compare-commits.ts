import type { Plan } from './compare-operations.ts';
import { buildCommit } from './gatehouse/build-commit.ts';
import { type PreparedGatehouse, prepareGatehouse } from './gatehouse/start-gatehouse.ts';
import { type Cost, type Costed, costOf, driveCosted } from './measure/cost.ts';
import { type Measured, medianOf } from './measure/median.ts';
import { checkOnce } from './measure/request.ts';
import type { ServerProcess } from './measure/server-process.ts';

/** One operation of this checkout and of another commit, in the same rounds. */
export interface CommitFigures {
  readonly operation: string;
  readonly here: Measured;
  readonly there: Measured;
  readonly costs: { readonly here: Cost; readonly there: Cost };
}

/** These operations measure password hashing, which is the same in all commits. */
const skippedOperations = new Set(['password', 'register']);
const cars = 10_000;

/** Both services run all the time, each with its own database, and take turns. */
export async function compareCommits(
  commit: string,
  plan: Plan,
): Promise<{ commit: string; figures: CommitFigures[] }> {
  const built = buildCommit(commit);
  const prepared: PreparedGatehouse[] = [];
  const servers: ServerProcess[] = [];
  try {
    prepared.push(
      await prepareGatehouse('sqlite', { cars }, undefined, { name: 'here' }),
      await prepareGatehouse('sqlite', { cars }, undefined, { root: built.root, name: built.name }),
    );
    for (const each of prepared) servers.push(await each.start());
    const figures: CommitFigures[] = [];
    for (const operation of plan.operations) {
      if (skippedOperations.has(operation) || servers.some(({ operations }) => !operations[operation])) continue;
      figures.push(await compare(operation, servers, plan));
      console.log(`compared ${operation}`);
    }
    return { commit: built.name, figures };
  } finally {
    for (const server of servers) await server.stop();
    for (const each of prepared) each.remove();
  }
}

async function compare(operation: string, servers: readonly ServerProcess[], plan: Plan): Promise<CommitFigures> {
  const rounds: Costed[][] = servers.map(() => []);
  for (let round = 0; round <= plan.rounds; round++) {
    for (const i of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const server = servers[i] as ServerProcess;
      const request = await server.again(operation);
      if (round === 0) await checkOnce(server.url, `${server.name}: ${operation}`, request);
      const costed = await driveCosted([{ server, request }], plan);
      // The first round only warms up.
      if (round > 0) rounds[i]?.push(costed);
    }
  }
  const [here = [], there = []] = rounds;
  return {
    operation,
    here: medianOf(here.map(({ result }) => result)),
    there: medianOf(there.map(({ result }) => result)),
    costs: { here: costOf(here), there: costOf(there) },
  };
}
