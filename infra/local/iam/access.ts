import { SettingError } from '../../../lib/errors.ts';
import type { Place } from '../template/place.ts';
import type { StackScope } from '../template/stack-scope.ts';
import { decide } from './decide.ts';
import { createGrantUse, type Grant } from './grant-use.ts';
import type { IamRequest, Principal } from './request.ts';
import { readResourcePolicies } from './resource-policies.ts';
import type { Statement } from './statement.ts';
import { type Role, readRoles } from './template-roles.ts';

/** A call that no statement allows, or that one denies. */
export interface Denial {
  /** A function's name, or the ARN of the rule or schedule that delivers. */
  readonly caller: string;
  readonly action: string;
  readonly resource: string;
  /** As AWS words it. */
  readonly message: string;
}

/** What the roles and policies of a stack let its callers do. */
export interface Access {
  /** Reads the template's policies; before that nothing is allowed. */
  load(scope: StackScope): void;
  /**
   * Lets calls of this name in, as this role.
   *
   * @param service That assumes the role, like `lambda.amazonaws.com`.
   * @throws SettingError naming `place` when the role is not in the template or does not trust the service.
   */
  addCaller(
    caller: string,
    roleArn: string,
    service: string,
    sourceArn: string,
    place: string,
  ): void;
  /** Gives why a call is refused, and keeps it in `denied`; `undefined` when it may go on. */
  refusal(caller: string, requests: readonly IamRequest[]): Denial | undefined;
  /** The same for a service that acts for the stack by the policy of the resource alone. */
  serviceRefusal(service: string, sourceArn: string, request: IamRequest): Denial | undefined;
  /** Whether a call would be allowed. It leaves no trace. */
  allows(caller: string, request: IamRequest): boolean;
  /** Oldest first. */
  readonly denied: readonly Denial[];
  /** What the template's policies allow, and whether it was needed. */
  grants(): readonly Grant[];
}

interface Caller {
  readonly principal: Principal;
  readonly identity: readonly Statement[];
  /** As AWS names the caller in errors. */
  readonly shown: string;
  readonly context: IamRequest['context'];
}

/** The person who runs the stack. */
export const OPERATOR = 'operator';

export function createAccess(
  { accountId, region }: Omit<Place, 'endpointUrl'>,
  onDenied: (denial: Denial) => void,
): Access {
  let roles: ReadonlyMap<string, Role> = new Map();
  let resourcePolicies: ReadonlyMap<string, readonly Statement[]> = new Map();
  const denied: Denial[] = [];
  const use = createGrantUse();
  const administrator: Caller = {
    principal: { kind: 'administrator' },
    identity: [],
    shown: `arn:aws:iam::${accountId}:root`,
    context: {},
  };
  const callers = new Map([[OPERATOR, administrator]]);
  const commonContext = {
    // On AWS the SDK's calls are https; here nothing leaves the machine.
    'aws:securetransport': ['true'],
    'aws:requestedregion': [region],
    'aws:resourceaccount': [accountId],
  };

  return {
    load(scope) {
      roles = readRoles(scope);
      resourcePolicies = readResourcePolicies(scope);
      use.declare([...roles.values()].flatMap(({ statements }) => statements));
      use.declare([...resourcePolicies.values()].flat());
    },
    addCaller(caller, roleArn, service, sourceArn, place) {
      const role = roles.get(roleArn);
      if (role === undefined) {
        throw new SettingError(
          place,
          `its role ${roleArn} is not in the template, so what it may do is not known here`,
        );
      }
      refuseDistrust(role, service, sourceArn, place);
      callers.set(caller, {
        principal: { kind: 'role', arn: roleArn },
        identity: role.statements,
        shown: `arn:aws:sts::${accountId}:assumed-role/${role.name}/${caller.split(/[:/]/).at(-1)}`,
        context: {
          'aws:principalarn': [roleArn],
          'aws:principalaccount': [accountId],
          // What the code of a function calls carries its ARN (Lambda developer guide, "Source function ARN").
          ...(service === 'lambda.amazonaws.com' && { 'lambda:sourcefunctionarn': [sourceArn] }),
        },
      });
    },
    refusal(name, requests) {
      const caller = callers.get(name);
      for (const request of requests) {
        const denial = check(name, caller ?? unknownCaller(name), request);
        if (denial !== undefined) return denial;
      }
      return undefined;
    },
    serviceRefusal: (service, sourceArn, request) =>
      check(sourceArn, serviceCaller(service, sourceArn), request),
    allows: (name, request) =>
      ask(callers.get(name) ?? unknownCaller(name), request).kind === 'allowed',
    denied,
    grants: use.grants,
  };

  function ask(caller: Caller, request: IamRequest) {
    const context = { ...commonContext, ...caller.context, ...request.context };
    const policies = {
      identity: caller.identity,
      resource: resourcePolicies.get(ownerOf(request.resource)) ?? [],
    };
    return decide(policies, caller.principal, { ...request, context });
  }

  function check(name: string, caller: Caller, request: IamRequest): Denial | undefined {
    const decision = ask(caller, request);
    const { action, resource } = request;
    if (decision.kind === 'allowed') {
      use.used(decision.by, action);
      return undefined;
    }
    const why =
      decision.by === undefined
        ? `because no identity-based policy allows the ${action} action`
        : `with an explicit deny in ${decision.by.place}`;
    const message = `User: ${caller.shown} is not authorized to perform: ${action} on resource: ${resource} ${why}`;
    const denial = { caller: name, action, resource, message };
    denied.push(denial);
    onDenied(denial);
    return denial;
  }

  function refuseDistrust(role: Role, service: string, sourceArn: string, place: string): void {
    const decision = decide(
      { identity: [], resource: role.trust },
      { kind: 'service', name: service },
      {
        action: 'sts:AssumeRole',
        resource: role.arn,
        context: { ...commonContext, ...serviceCaller(service, sourceArn).context },
      },
    );
    if (decision.kind === 'allowed') return;
    throw new SettingError(place, `its role ${role.name} cannot be assumed by ${service}`);
  }

  function serviceCaller(service: string, sourceArn: string): Caller {
    const context = { 'aws:sourcearn': [sourceArn], 'aws:sourceaccount': [accountId] };
    return { principal: { kind: 'service', name: service }, identity: [], shown: service, context };
  }
}

function unknownCaller(name: string): Caller {
  return { principal: { kind: 'service', name }, identity: [], shown: name, context: {} };
}

/** The policy of an object is its bucket's. */
function ownerOf(resource: string): string {
  return resource.startsWith('arn:aws:s3:::') ? (resource.split('/')[0] ?? resource) : resource;
}
