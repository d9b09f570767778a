import { type FileHandle, open, stat } from 'node:fs/promises';
import { eventLine } from './event-line.ts';
import type { EventRow } from './event-store.ts';
import type { LineSink } from './events-log.ts';

/** Appends lines to a file. After a log rotation it opens the new file, without a signal. */
export class EventFile implements LineSink {
  readonly #path: string;
  #file: FileHandle | undefined;
  /** The rest of a line that was cut off by a full disk. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
  }

  async write(events: readonly EventRow[]): Promise<void> {
    const file = await this.#open();
    if (this.#rest.length > 0) await this.#writeAll(file, this.#rest);
    const text = events.map((event) => `${eventLine(event)}\n`).join('');
    await this.#writeAll(file, Buffer.from(text));
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async #open(): Promise<FileHandle> {
    if (this.#file) {
      const [held, named] = await Promise.all([this.#file.stat(), stat(this.#path).catch(() => undefined)]);
      if (named && named.ino === held.ino && named.dev === held.dev) return this.#file;
      await this.close();
      this.#rest = Buffer.alloc(0);
    }
    this.#file = await open(this.#path, 'a', 0o600);
    return this.#file;
  }

  /** Completes a line that a full disk cut off. The caller then sends the whole batch again. */
  async #writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
    let left = bytes;
    try {
      while (left.length > 0) left = left.subarray((await file.write(left)).bytesWritten);
      this.#rest = Buffer.alloc(0);
    } catch (error) {
      const written = bytes.length - left.length;
      if (written > 0) {
        const isWhole = bytes[written - 1] === 0x0a;
        this.#rest = isWhole ? Buffer.alloc(0) : Buffer.from(left.subarray(0, left.indexOf(0x0a) + 1));
      }
      throw error;
    }
  }
}
