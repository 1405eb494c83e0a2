import type { Access } from '../iam/access.ts';
import type { AccountPlace } from '../template/place.ts';
import type { FunctionDefinition } from './function-definition.ts';

/** What Lambda does with a function's role to keep its lines (developer guide, "Sending function logs"). */
const ACTIONS = ['logs:CreateLogStream', 'logs:PutLogEvents'] as const;

/** Whether a function's lines are kept: as on AWS they are lost without the permissions. */
export type MayLog = (definition: FunctionDefinition) => boolean;

/** The answer is to be asked for at an invocation, whose first line is Lambda's own, and stays the same. */
export function mayLogBy(access: Access, { region, accountId }: AccountPlace): MayLog {
  const answers = new Map<string, boolean>();
  return ({ name, logGroup }) => {
    const known = answers.get(name);
    if (known !== undefined) return known;
    const resource = `arn:aws:logs:${region}:${accountId}:log-group:${logGroup}:log-stream:local`;
    const requests = ACTIONS.map((action) => ({ action, resource }));
    const answer = access.refusal(name, requests) === undefined;
    answers.set(name, answer);
    return answer;
  };
}
