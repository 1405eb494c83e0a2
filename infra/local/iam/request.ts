/** What a call needs a policy to allow. */
export interface IamRequest {
  /** `service:Action`, as the Service Authorization Reference spells it. */
  readonly action: string;
  /** An ARN; `*` for an action without a resource. */
  readonly resource: string;
  /** Condition keys of this action, in lower case. */
  readonly context?: Readonly<Record<string, string>>;
}

/** Who calls, as far as policies can ask. */
export interface Caller {
  readonly kind: /** A function or a schedule, by its role. */
    | 'role'
    | 'service'
    /** The person who runs the stack, who may do everything that no policy denies. */
    | 'administrator';
  /** Of a service, like `events.amazonaws.com`; else as AWS names the caller in errors. */
  readonly name: string;
  /** Condition keys in lower case, with their values for this call. */
  readonly context: Readonly<Record<string, string>>;
}
