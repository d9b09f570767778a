import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { KyselyPlugin } from 'kysely';
import type { Invalidation } from '../../database/bus.ts';
import { uuidv7 } from '../../database/uuid.ts';
import { conflictingChange, unavailable } from '../../platform/errors.ts';
import type { WriteCall } from '../declaration/define-resource.ts';
import type { Resource } from '../model/resource.ts';
import type { Values } from './read-input.ts';

/** The argument of a hook inside the transaction. */
export interface HookChange {
  readonly operation: 'create' | 'update' | 'delete';
  readonly values: Values;
  readonly before: Values | undefined;
  readonly after?: Values | undefined;
}

type HookName = 'beforeWrite' | 'afterWrite';
type Hook = (call: WriteCall, change: HookChange) => Promise<void> | void;

/** The effects of a hook that finished after its transaction was undone. They are applied in the next transaction. */
interface Outcome {
  readonly hook: string;
  readonly input: unknown;
  readonly error: unknown;
  readonly values: Values;
  readonly revealed: Values;
  readonly invalidations: readonly Invalidation[];
}

/** Ends an attempt because a hook waits for something outside of the transaction. Other writes must not wait for it. */
class HookWaits extends Error {
  readonly finished: Promise<void>;
  constructor(finished: Promise<void>) {
    super('a hook waits');
    this.finished = finished;
  }
}

class TransactionOver extends Error {
  constructor() {
    super('the transaction of this hook has ended, because the hook waited for something outside of it');
  }
}

const maxAttempts = 6;
/** The longest time in milliseconds that a hook may keep the transaction open while it waits for something else. */
const maxHoldMs = 250;

/** On SQLite, statements in a transaction need no turn of the event loop. A hook that takes longer waits for something else. */
const waitOneTurn = (): Promise<'waits'> =>
  new Promise((resolve) => setImmediate(() => setImmediate(() => resolve('waits'))));

/**
 * Runs the hooks of one write. SQLite has one writer, so a hook that waits for something outside must not keep the transaction. The attempt
 * is undone and the hook continues. The next attempt applies the effects of the hook if its input is the same. docs/decisions/slow-hooks.md
 * explains why this is correct.
 */
export class HookRuns {
  readonly #releasesTransaction: boolean;
  readonly #outcomes: Outcome[] = [];
  readonly #hooksUsingTransaction = new Set<string>();
  readonly #ids: string[] = [];
  #nextId = 0;

  constructor(engine: 'sqlite' | 'postgres') {
    this.#releasesTransaction = engine === 'sqlite';
  }

  async attempt<T>(write: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      this.#nextId = 0;
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof HookWaits)) throw error;
        await error.finished;
        if (attempt === maxAttempts) throw conflictingChange('the input of a hook changed at every attempt');
      }
    }
  }

  /** Returns the same ids in each attempt, because a hook may have used them. */
  newId(now: number): string {
    const index = this.#nextId++;
    this.#ids[index] ??= uuidv7(now);
    return this.#ids[index];
  }

  async run(resource: Resource, name: HookName, call: WriteCall, change: HookChange): Promise<void> {
    const hook = resource.definition.hooks?.[name] as Hook | undefined;
    if (!hook) return;
    if (!this.#releasesTransaction) return hook(call, change);
    const id = `${resource.name}.${name}`;
    const input = { caller: call.caller, ...change, values: { ...change.values } };
    const earlierOutcome = this.#outcomes.find(
      (outcome) => outcome.hook === id && isDeepStrictEqual(outcome.input, input),
    );
    if (earlierOutcome) return applyOutcome(earlierOutcome, call, change);
    const guarded = guardCall(call);
    const running = hook(guarded.call, change);
    if (!(running instanceof Promise)) return;
    const settled = running.then(
      () => ({ error: undefined }),
      (error: unknown) => ({ error }),
    );
    const result = await Promise.race([settled, waitOneTurn()]);
    if (result !== 'waits') {
      if (result.error !== undefined) throw result.error;
      return;
    }
    // A hook that creates rows would create new ids in each attempt.
    const mustHold =
      guarded.state.isUsed || this.#hooksUsingTransaction.has(id) || resource.definition.create !== undefined;
    if (mustHold) return this.#waitBriefly(id, settled, guarded, call);
    guarded.state.isOver = true;
    const { revealed, invalidations } = guarded;
    throw new HookWaits(
      settled.then(({ error }) => {
        if (error instanceof TransactionOver) this.#hooksUsingTransaction.add(id);
        else this.#outcomes.push({ hook: id, input, error, values: { ...change.values }, revealed, invalidations });
      }),
    );
  }

  /** A hook that uses the transaction cannot continue without it. It gets a short time to finish. */
  async #waitBriefly(
    id: string,
    settled: Promise<{ readonly error: unknown }>,
    { state }: ReturnType<typeof guardCall>,
    { context: { log } }: WriteCall,
  ): Promise<void> {
    const result = await Promise.race([settled, setTimeout(maxHoldMs, 'too long' as const)]);
    if (result === 'too long') {
      state.isOver = true;
      log.error(
        { hook: id },
        'a hook used the transaction and waited for something else, which blocks every other write. Move that work to prepare, afterCommit or call.later.',
      );
      throw unavailable('This write takes too long. Try again.', 1, `the hook ${id} holds the transaction`);
    }
    if (result.error !== undefined) throw result.error;
  }
}

/** The call for a hook. It records whether the hook uses the transaction, and throws if the transaction is over. */
function guardCall(call: WriteCall) {
  const state = { isUsed: false, isOver: false };
  const rejectIfOver = () => {
    if (state.isOver) throw new TransactionOver();
  };
  const guard: KyselyPlugin = {
    transformQuery({ node }) {
      rejectIfOver();
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const transaction = () => {
    rejectIfOver();
    state.isUsed = true;
    return call.tx.withPlugin(guard);
  };
  const revealed: Values = {};
  const invalidations: Invalidation[] = [];
  const guardedCall: Omit<WriteCall, 'tx'> = {
    ...call,
    later: async (name, data, options) => call.later(name, data, { tx: transaction(), ...options }),
    mail: async (template, to, data, tx) => call.mail(template, to, data, tx ?? transaction()),
    resource: (name, options) => guardCalls(call.resource(name, options), transaction),
    reveal(fields) {
      Object.assign(revealed, fields);
      call.reveal(fields);
    },
    invalidate(invalidation) {
      invalidations.push(invalidation);
      call.invalidate(invalidation);
    },
  };
  const callWithTx = Object.defineProperty(guardedCall, 'tx', { get: transaction, enumerable: true }) as WriteCall;
  return { call: callWithTx, state, revealed, invalidations };
}

/** The methods of a resource. Each use counts as a use of the transaction. */
const guardCalls = <Calls extends object>(calls: Calls, onUse: () => unknown): Calls =>
  new Proxy(calls, {
    get(_, name) {
      const run: unknown = Reflect.get(calls, name);
      if (typeof run !== 'function') return run;
      return async (...args: unknown[]) => {
        onUse();
        return run(...args);
      };
    },
  });

function applyOutcome({ error, values, revealed, invalidations }: Outcome, call: WriteCall, change: HookChange): void {
  if (error !== undefined) throw error;
  for (const name of Object.keys(change.values)) if (!(name in values)) delete change.values[name];
  Object.assign(change.values, values);
  call.reveal(revealed);
  for (const invalidation of invalidations) call.invalidate(invalidation);
}
