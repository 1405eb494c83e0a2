import { SettingError } from '../../../lib/errors.ts';
import type { AccountPlace } from '../template/place.ts';
import { decide } from './decide.ts';
import { createGrantUse, type Grant } from './grant-use.ts';
import type { Caller, IamRequest } from './request.ts';
import type { Statement } from './statement.ts';

/** A call that no statement allows, or that one denies. */
export interface Denial {
  /** A function's name, or the ARN of the rule or schedule that delivers. */
  readonly caller: string;
  readonly action: string;
  readonly resource: string;
  /** As AWS words it. */
  readonly message: string;
}

/** Somebody who calls as a role of the template. */
export interface RoleCaller {
  /** What the endpoint and {@link Access.refusal} know the caller by. */
  readonly caller: string;
  readonly roleArn: string;
  /** That assumes the role, like `lambda.amazonaws.com`. */
  readonly service: string;
  readonly sourceArn: string;
  /** Named in an error. */
  readonly place: string;
}

interface Role {
  readonly name: string;
  /** Who may assume it. */
  readonly trust: readonly Statement[];
  /** What it may do: grows with every policy that is attached to it. */
  readonly statements: Statement[];
}

/** The person who runs the stack. */
export const OPERATOR = 'operator';

/** What the roles and policies of a stack let its callers do. Before any is added nothing is allowed. */
export class Access {
  /** Oldest first. */
  readonly denied: Denial[] = [];
  readonly #accountId: string;
  readonly #onDenied: (denial: Denial) => void;
  readonly #onAllowed: (caller: string, request: IamRequest) => void;
  readonly #roles = new Map<string, Role>();
  readonly #resourcePolicies = new Map<string, Statement[]>();
  readonly #callers = new Map<string, { readonly role: Role | undefined; readonly as: Caller }>();
  readonly #use = createGrantUse();

  constructor(
    { accountId }: Pick<AccountPlace, 'accountId'>,
    onDenied: (denial: Denial) => void = () => {},
    onAllowed: (caller: string, request: IamRequest) => void = () => {},
  ) {
    this.#accountId = accountId;
    this.#onDenied = onDenied;
    this.#onAllowed = onAllowed;
    const name = `arn:aws:iam::${accountId}:root`;
    const as = { kind: 'administrator', name, context: contextOf({}) } as const;
    this.#callers.set(OPERATOR, { role: undefined, as });
  }

  addRole(arn: string, name: string, trust: readonly Statement[]): void {
    this.#roles.set(arn, { name, trust, statements: [] });
  }

  removeRole(arn: string): void {
    this.#roles.delete(arn);
  }

  addRolePolicy(roleName: string, statements: readonly Statement[], place: string): void {
    const role = [...this.#roles.values()].find(({ name }) => name === roleName);
    if (role === undefined) throw new SettingError(place, `there is no role ${roleName}`);
    role.statements.push(...statements);
    this.#use.declare(statements);
  }

  addResourcePolicy(arn: string, statements: readonly Statement[]): void {
    this.#resourcePolicies.set(arn, [...(this.#resourcePolicies.get(arn) ?? []), ...statements]);
    this.#use.declare(statements);
  }

  /**
   * Lets calls of this name in, as this role.
   *
   * @throws SettingError when the role is not in the template or does not trust the service.
   */
  addCaller({ caller, roleArn, service, sourceArn, place }: RoleCaller): void {
    const role = this.#roles.get(roleArn);
    if (role === undefined) {
      const problem = `its role ${roleArn} is not in the template, so what it may do is not known here`;
      throw new SettingError(place, problem);
    }
    const trusted = decide(
      { identity: [], resource: role.trust },
      this.#serviceCaller(service, sourceArn),
      { action: 'sts:AssumeRole', resource: roleArn },
    );
    if (trusted.kind === 'denied') {
      throw new SettingError(place, `its role ${role.name} cannot be assumed by ${service}`);
    }
    const session = caller.split(/[:/]/).at(-1);
    const name = `arn:aws:sts::${this.#accountId}:assumed-role/${role.name}/${session}`;
    // What the code of a function calls carries its ARN (Lambda developer guide, "Source function ARN").
    const own = service === 'lambda.amazonaws.com' && { 'lambda:sourcefunctionarn': sourceArn };
    this.#callers.set(caller, { role, as: { kind: 'role', name, context: contextOf(own) } });
  }

  nameOf(caller: string): string {
    return this.#callers.get(caller)?.as.name ?? caller;
  }

  /** Gives why a call is refused, and keeps it in `denied`; `undefined` when it may go on. */
  refusal(caller: string, requests: readonly IamRequest[]): Denial | undefined {
    const known = this.#callers.get(caller);
    const as = known?.as ?? { kind: 'service', name: caller, context: contextOf({}) };
    for (const request of requests) {
      const denial = this.#check(caller, as, known?.role?.statements ?? [], request);
      if (denial !== undefined) return denial;
    }
    return undefined;
  }

  /** The same for a service that acts for the stack by the policy of the resource alone. */
  serviceRefusal(service: string, sourceArn: string, request: IamRequest): Denial | undefined {
    return this.#check(sourceArn, this.#serviceCaller(service, sourceArn), [], request);
  }

  /** Checks what AWS checks when a resource is made. @throws SettingError naming the action that is missing. */
  require(caller: string, actions: readonly string[], resource: string, place: string): void {
    const requests = actions.map((action) => ({ action, resource }));
    const denial = this.refusal(caller, requests);
    if (denial !== undefined) throw new SettingError(place, denial.message);
  }

  /** What the template's policies allow, and whether it was needed. */
  grants(): readonly Grant[] {
    return this.#use.grants();
  }

  #check(
    name: string,
    caller: Caller,
    identity: readonly Statement[],
    request: IamRequest,
  ): Denial | undefined {
    const resource = this.#resourcePolicies.get(ownerOf(request.resource)) ?? [];
    const decision = decide({ identity, resource }, caller, request);
    const { action, resource: asked } = request;
    if (decision.kind === 'allowed') {
      this.#use.used(decision.by, action);
      this.#onAllowed(name, request);
      return undefined;
    }
    const why =
      decision.by === undefined
        ? `because no identity-based policy allows the ${action} action`
        : `with an explicit deny in ${decision.by.place}`;
    const message = `User: ${caller.name} is not authorized to perform: ${action} on resource: ${asked} ${why}`;
    const denial = { caller: name, action, resource: asked, message };
    this.denied.push(denial);
    this.#onDenied(denial);
    return denial;
  }

  #serviceCaller(name: string, sourceArn: string): Caller {
    const source = { 'aws:sourcearn': sourceArn, 'aws:sourceaccount': this.#accountId };
    return { kind: 'service', name, context: contextOf(source) };
  }
}

/** On AWS the SDK's calls are https; here nothing leaves the machine. */
function contextOf(more: Readonly<Record<string, string>> | false): Caller['context'] {
  return { 'aws:securetransport': 'true', ...more };
}

/** The policy of an object is its bucket's. */
function ownerOf(resource: string): string {
  return resource.startsWith('arn:aws:s3:::') ? (resource.split('/')[0] ?? resource) : resource;
}
