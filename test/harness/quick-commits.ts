// Preloaded by `npm test` in each test process and its commands: SQLite does not wait for the disk, which took a tenth
// of the time of short test files. A killed process loses nothing by this, only a failing machine would.
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const { DatabaseSync } = await import('node:sqlite');
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    return exec.call(this, sql.replace('pragma synchronous = full', 'pragma synchronous = off'));
  };
}
