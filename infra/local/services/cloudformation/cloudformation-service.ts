import {
  type AwsService,
  answerQueryError,
  answerXml,
  serviceError,
  xmlElements,
} from '../../endpoint/aws-call.ts';
import type { Access } from '../../iam/access.ts';
import type { AccountPlace } from '../../template/place.ts';

type Stacks = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** AWS CloudFormation for the callers of the endpoint: the names and outputs of DescribeStacks, by the AWS query protocol. */
export function cloudformationService(
  access: Pick<Access, 'refusal'>,
  { region, accountId }: AccountPlace,
  stacks: Stacks,
): AwsService {
  return async ({ caller, body, response }) => {
    const asked = new URLSearchParams(body.toString());
    const action = asked.get('Action') ?? '';
    const name = asked.get('StackName');
    const arn = `arn:aws:cloudformation:${region}:${accountId}:stack/${name}/local`;
    const resource = name === null ? '*' : arn;
    const denial = access.refusal(caller, [{ action: `cloudformation:${action}`, resource }]);
    const problem = denial
      ? (['AccessDenied', denial.message] as const)
      : problemOf(action, name, stacks);
    if (problem !== undefined) {
      const [code, message] = problem;
      return answerQueryError(response, serviceError(code, message));
    }
    const members = [...stacks]
      .filter(([each]) => name === null || each === name)
      .map(([each, outputs]) => stackElement(each, outputs));
    answerXml(
      response,
      200,
      `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks>${members.join('')}</Stacks></DescribeStacksResult></DescribeStacksResponse>`,
    );
  };
}

function problemOf(
  action: string,
  name: string | null,
  stacks: Stacks,
): readonly [code: string, message: string] | undefined {
  if (action !== 'DescribeStacks') {
    return ['InvalidAction', `The local endpoint does not run ${action}; it runs DescribeStacks.`];
  }
  if (name === null || stacks.has(name)) return undefined;
  return ['ValidationError', `Stack with id ${name} does not exist`];
}

function stackElement(name: string, outputs: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(outputs).map(([OutputKey, OutputValue]) =>
    element('member', { OutputKey, OutputValue }),
  );
  const about = xmlElements({ StackName: name });
  return `<member>${about}<Outputs>${members.join('')}</Outputs></member>`;
}

function element(name: string, members: Readonly<Record<string, unknown>>): string {
  return `<${name}>${xmlElements(members)}</${name}>`;
}
