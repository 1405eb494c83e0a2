/** What a call asks IAM for. */
export interface IamRequest {
  /** `service:Action`, as the Service Authorization Reference spells it. */
  readonly action: string;
  /** An ARN; `*` for an action without a resource. */
  readonly resource: string;
  /** Condition keys in lower case, with what the call says about them. */
  readonly context: Readonly<Record<string, readonly string[]>>;
}

/** Who calls. */
export type Principal =
  /** A function or a schedule: whoever assumed this role. */
  | { readonly kind: 'role'; readonly arn: string }
  /** Like `events.amazonaws.com`. */
  | { readonly kind: 'service'; readonly name: string }
  /** The person who runs the stack, who may do everything that no policy denies. */
  | { readonly kind: 'administrator' };
