// Preloaded by `npm test` in each test process, to save processor time:
// - Node's test runner follows each promise to find the test that a hook or an error belongs to. An AsyncLocalStorage
//   costs much less.
// - Imports of the sources are resolved without looking for files, links and the nearest package.json.
import hooks, { AsyncLocalStorage, AsyncResource, type HookCallbacks } from 'node:async_hooks';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

function findTestsWithoutPromises(): void {
  const { createHook, executionAsyncId } = hooks;
  const { runInAsyncScope } = AsyncResource.prototype;
  /** The async id of the running test, suite or hook. Each is an asynchronous resource. */
  const running = new AsyncLocalStorage<number>();
  AsyncResource.prototype.runInAsyncScope = function <This, Result>(
    this: AsyncResource,
    fn: (this: This, ...args: unknown[]) => Result,
    thisArg?: This,
    ...args: unknown[]
  ): Result {
    const run = () => fn.apply(thisArg as This, args);
    const isOfRunner = ['Test', 'Suite', 'TestHook'].includes(this.constructor.name);
    return runInAsyncScope.call(this, isOfRunner ? () => running.run(this.asyncId(), run) : run) as Result;
  };
  hooks.executionAsyncId = () => running.getStore() ?? executionAsyncId();
  hooks.createHook = (callbacks: HookCallbacks) => createHook({ ...callbacks, trackPromises: false });
  syncBuiltinESMExports();
}

const isSource = (name: string | undefined) => name?.endsWith('.ts') && !name.includes('/node_modules/');

function resolveSourcesByName(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      if (!specifier.startsWith('.') || !isSource(specifier) || !isSource(parentURL)) return next(specifier, context);
      return { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true };
    },
  });
}

if (isMainThread) {
  findTestsWithoutPromises();
  resolveSourcesByName();
}
