/** What a message body says: a value, or why it can never say one. */
export type ParsedBody<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'malformed'; readonly reason: string };

/** What becomes of a message. */
export type MessageAnswer =
  /** It is deleted. */
  | 'acknowledge'
  /** It comes back after the visibility timeout, and counts as a failure. */
  | 'retry'
  /** It comes back after this time, as a new message: waiting is no failure. */
  | { readonly requeueAfterSeconds: number }
  /** It goes to the dead-letter queue at once, for this reason: repeating cannot help. */
  | {
      readonly deadLetterReason: string;
      /** Its body holds a key, so it is not kept: the dead letter tells the reason alone. */
      readonly isBodyWithheld?: true;
    };
