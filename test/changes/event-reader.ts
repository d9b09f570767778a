/** One event of a stream. */
export interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

export interface Change {
  readonly position: string;
  readonly resource: string;
  readonly id: string;
  readonly operation: 'created' | 'updated' | 'deleted' | 'left';
  readonly version: number;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
  readonly actor: { readonly user_id: string | null; readonly client_id: string | null } | null;
  readonly at: string;
}

/** Reads a stream of Server-Sent Events without reconnecting. */
export class EventReader {
  readonly response: Response;
  /** The last id of an event or a comment. */
  lastId = '';
  readonly comments: string[] = [];
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #abort: AbortController;
  #text = '';
  #over = false;

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.#reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
      .pipeThrough(new TextDecoderStream())
      .getReader();
  }

  static async open(url: string, headers: Record<string, string>): Promise<EventReader> {
    const abort = new AbortController();
    const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: abort.signal });
    return new EventReader(response, abort);
  }

  /** The next event, or undefined when the stream has ended. */
  async next(): Promise<StreamEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end >= 0) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        const event = this.#read(block);
        if (event) return event;
        continue;
      }
      if (this.#over) return undefined;
      const { value, done } = await this.#reader.read().catch(() => ({ value: undefined, done: true }) as const);
      if (done) this.#over = true;
      else this.#text += value;
    }
  }

  /** The next change. Throws if the stream ends before. */
  async change(): Promise<Change> {
    const event = await this.next();
    if (event?.event !== 'message') throw new Error(`expected a change, got ${JSON.stringify(event)}`);
    return JSON.parse(event.data) as Change;
  }

  /** The status, the headers and the body of a response that is not a stream. */
  async responseText(): Promise<string> {
    const { status, headers } = this.response;
    let body = '';
    for (let part = await this.#reader.read(); !part.done; part = await this.#reader.read()) body += part.value;
    return `${status} ${JSON.stringify(Object.fromEntries(headers))} ${body}`;
  }

  close(): void {
    this.#over = true;
    this.#abort.abort();
  }

  #read(block: string): StreamEvent | undefined {
    let [id, event, data]: [string | undefined, string, string | undefined] = [undefined, 'message', undefined];
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) this.comments.push(line.slice(1).trim());
      else if (line.startsWith('id: ')) id = line.slice(4);
      else if (line.startsWith('event: ')) event = line.slice(7);
      else if (line.startsWith('data: ')) data = line.slice(6);
    }
    if (id !== undefined) this.lastId = id;
    return data === undefined ? undefined : { id, event, data };
  }
}
