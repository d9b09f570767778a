/** A mail that is to be sent. */
export interface QueuedMail {
  /** The same however often it is tried. */
  readonly id: string;
  readonly template: string;
  readonly recipient: string;
  /** JSON. */
  readonly data: string;
  readonly created_at: number;
  /** Of the request that caused it. A reader's own choice comes before it: `language` among what it is filled with. */
  readonly language: string;
}

/**
 * Creates the values of a template when the mail is sent. The link is created at that moment too, so the queue never contains
 * a usable link. Undefined means that the recipient no longer exists, and the mail is dropped. `recipient` replaces the address
 * that somebody typed by the address of the account.
 */
export type Compose = (mail: QueuedMail) => Promise<Readonly<Record<string, unknown>> | undefined>;

/** Template name → how its mails are composed. */
export type Mails = ReadonlyMap<string, Compose>;
