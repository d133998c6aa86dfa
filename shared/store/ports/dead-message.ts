/** A message that was received too often without success. */
export type DeadMessage<Content> = MessageBody<Content> & {
  /** Unique in its queue. */
  readonly id: string;
  /** In milliseconds. */
  readonly sentAt: number;
};

/**
 * Content of a message. `fault` says why it cannot be read; `content` then has the readable fields.
 */
export type MessageBody<Content> =
  | { readonly content: Content; readonly fault: null }
  | { readonly content: Partial<Content>; readonly fault: string };
