import type { Socket } from 'node:net';

export interface UnsentLimits {
  /** Bytes of large answers that one caller may leave unread, over all its connections. */
  readonly ofCaller: number;
  readonly inAll: number;
}

const megabyte = 1024 * 1024;
export const unsentLimits: UnsentLimits = { ofCaller: 64 * megabyte, inAll: 256 * megabyte };

type Unsent = Pick<Socket, 'writableLength' | 'destroy'>;

/**
 * Connections with large answers that their callers have not read yet. Where a caller, or all together, leave too much, the connections
 * with the most are ended: what they hold is memory.
 */
export class UnsentAnswers {
  readonly #limits: UnsentLimits;
  readonly #callers = new Map<Unsent, string>();
  #checking = false;

  constructor(limits: UnsentLimits = unsentLimits) {
    this.#limits = limits;
  }

  /** A large answer goes out. It is looked at when it has been written. */
  note(socket: Unsent, caller: string): void {
    this.#callers.set(socket, caller);
    if (this.#checking) return;
    this.#checking = true;
    setImmediate(() => {
      this.#checking = false;
      this.check();
    });
  }

  check(): void {
    const byCaller = new Map<string, Unsent[]>();
    for (const [socket, caller] of this.#callers) {
      if (socket.writableLength === 0) this.#callers.delete(socket);
      else byCaller.set(caller, [...(byCaller.get(caller) ?? []), socket]);
    }
    for (const sockets of byCaller.values()) this.#endLargest(sockets, this.#limits.ofCaller);
    this.#endLargest([...this.#callers.keys()], this.#limits.inAll);
  }

  #endLargest(sockets: Unsent[], limit: number): void {
    let bytes = sockets.reduce((sum, { writableLength }) => sum + writableLength, 0);
    if (bytes <= limit) return;
    for (const socket of sockets.sort((a, b) => b.writableLength - a.writableLength)) {
      bytes -= socket.writableLength;
      this.#callers.delete(socket);
      socket.destroy();
      if (bytes <= limit) return;
    }
  }
}
