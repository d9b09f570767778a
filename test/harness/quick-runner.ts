// Preloaded by `npm test` in each test process, to save processor time:
// - Node's test runner follows each asynchronous resource to find the test that a hook or an error belongs to. An
//   AsyncLocalStorage costs much less.
// - Imports of the sources are resolved without looking for files, links and the nearest package.json.
import hooks, { AsyncLocalStorage, AsyncResource, type HookCallbacks } from 'node:async_hooks';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

function findTestsWithoutHooks(): void {
  const { createHook, executionAsyncId } = hooks;
  const { runInAsyncScope } = AsyncResource.prototype;
  /** The async id of the running test, suite or hook. Each is an asynchronous resource. */
  const running = new AsyncLocalStorage<number>();
  let callbacks: HookCallbacks | undefined;
  AsyncResource.prototype.runInAsyncScope = function <This, Result>(
    this: AsyncResource,
    fn: (this: This, ...args: unknown[]) => Result,
    thisArg?: This,
    ...args: unknown[]
  ): Result {
    const run = () => fn.apply(thisArg as This, args);
    const { name } = this.constructor;
    const isOfRunner = ['Test', 'Suite', 'TestHook'].includes(name);
    if (isOfRunner) callbacks?.init?.(this.asyncId(), name, 0, this);
    return runInAsyncScope.call(this, isOfRunner ? () => running.run(this.asyncId(), run) : run) as Result;
  };
  hooks.executionAsyncId = () => running.getStore() ?? executionAsyncId();
  hooks.createHook = (given: HookCallbacks) => {
    // The first caller is the test runner.
    if (callbacks) return createHook(given);
    callbacks = given;
    const hook = { enable: () => hook, disable: () => hook };
    return hook;
  };
  syncBuiltinESMExports();
}

const root = new URL('../..', import.meta.url).href;
const isSource = (url: string | undefined) =>
  url?.startsWith(root) && url.endsWith('.ts') && !url.includes('/node_modules/');

function resolveSourcesByName(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      const url = specifier.startsWith('.') && isSource(parentURL) ? new URL(specifier, parentURL).href : undefined;
      if (url === undefined || !isSource(url)) return next(specifier, context);
      return { url, format: 'module-typescript', shortCircuit: true };
    },
  });
}

if (isMainThread) {
  findTestsWithoutHooks();
  resolveSourcesByName();
}
