import { constants } from 'node:fs';
import { access, type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf } from '../../src/platform/errors.ts';
import { createIfMissing } from '../../src/platform/files.ts';
import type { EventRow } from '../../src/resources/audit/event-store.ts';
import { eventLine } from './event-line.ts';

/** The target of the events, one line each. `write` throws if the target did not accept them. */
export interface LineSink {
  write(events: readonly EventRow[]): Promise<void>;
  /** Throws if the target is unavailable. Writes nothing. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Appends lines to a file. After a log rotation it opens the new file, without a signal. */
export class EventFile implements LineSink {
  readonly #path: string;
  #file: FileHandle | undefined;
  /** The rest of a line that was cut off by a full disk. */
  #unfinishedLine: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
  }

  async write(events: readonly EventRow[]): Promise<void> {
    const file = await this.#open();
    if (this.#unfinishedLine.length > 0) await this.#writeAll(file, this.#unfinishedLine);
    const text = events.map((event) => `${eventLine(event)}\n`).join('');
    await this.#writeAll(file, Buffer.from(text));
  }

  async check(): Promise<void> {
    try {
      // A pipe without a reader fails instead of waiting.
      this.#file = await open(this.#path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      const target = await readlink(this.#path).catch(() => '');
      return access(dirname(resolve(dirname(this.#path), target || this.#path)), constants.W_OK);
    }
    const file = await this.#file.stat();
    if (process.geteuid?.() !== 0 || !file.isFile() || file.uid !== 0 || (file.mode & 0o022) !== 0) return;
    // Root can write everything, but the service runs as the owner of the folder.
    const folder = await stat(dirname(await realpath(this.#path)));
    if (folder.uid !== 0) throw new Error(`${this.#path} belongs to root, but its folder to another user`);
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async #open(): Promise<FileHandle> {
    if (this.#file) {
      const [openedStats, pathStats] = await Promise.all([this.#file.stat(), stat(this.#path).catch(() => undefined)]);
      if (pathStats && pathStats.ino === openedStats.ino && pathStats.dev === openedStats.dev) return this.#file;
      await this.close();
      this.#unfinishedLine = Buffer.alloc(0);
    }
    createIfMissing(this.#path);
    this.#file = await open(this.#path, 'a', 0o600);
    return this.#file;
  }

  /** Completes a line that a full disk cut off. The caller then sends the whole batch again. */
  async #writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
    let remaining = bytes;
    try {
      while (remaining.length > 0) remaining = remaining.subarray((await file.write(remaining)).bytesWritten);
      this.#unfinishedLine = Buffer.alloc(0);
    } catch (error) {
      const written = bytes.length - remaining.length;
      if (written > 0) {
        const endsWithLine = bytes[written - 1] === 0x0a;
        this.#unfinishedLine = endsWithLine
          ? Buffer.alloc(0)
          : Buffer.from(remaining.subarray(0, remaining.indexOf(0x0a) + 1));
      }
      throw error;
    }
  }
}
