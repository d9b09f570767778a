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
 * What a template is filled with, found when the mail is sent: by then the link is made, so that nothing usable ever lies
 * in the queue. Undefined means that there is nobody to write to any more, and the mail is dropped. `recipient` is where it
 * goes in place of what somebody typed: to the address that its owner has given.
 */
export type Compose = (mail: QueuedMail) => Promise<Readonly<Record<string, unknown>> | undefined>;

/** Template name → how its mails are composed. */
export type Mails = ReadonlyMap<string, Compose>;
