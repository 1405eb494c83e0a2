import type { Access } from '../iam/access.ts';
import type { Place } from '../template/place.ts';

/** What Lambda does with a function's role to keep its lines (developer guide, "Sending function logs"). */
const ACTIONS = ['logs:CreateLogStream', 'logs:PutLogEvents'] as const;

/**
 * Whether a function's lines are kept: as on AWS they are lost without the permissions. To be asked
 * at an invocation, whose first line is Lambda's own; a function's answer stays the same.
 */
export function mayLog(access: Access, { region, accountId }: Omit<Place, 'endpointUrl'>) {
  const answers = new Map<string, boolean>();
  return (caller: string, logGroup: string | undefined): boolean => {
    const known = answers.get(caller);
    if (known !== undefined) return known;
    const resource = `arn:aws:logs:${region}:${accountId}:log-group:${logGroup}:log-stream:local`;
    const requests = ACTIONS.map((action) => ({ action, resource, context: {} }));
    const answer = access.refusal(caller, requests) === undefined;
    answers.set(caller, answer);
    return answer;
  };
}
