import type { Template } from 'aws-cdk-lib/assertions';

/** The statements of the role of the function with this description. */
export function statementsOf(template: Template, description: RegExp): readonly unknown[] {
  const [own] = Object.values(template.findResources('AWS::Lambda::Function')).filter(
    ({ Properties }) => description.test(Properties.Description),
  );
  return statementsOfRole(template, own?.['Properties'].Role['Fn::GetAtt'][0]);
}

export function statementsOfRole(template: Template, roleId: string): readonly unknown[] {
  return Object.values(template.findResources('AWS::IAM::Policy'))
    .filter(({ Properties }) => JSON.stringify(Properties.Roles).includes(`"${roleId}"`))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
}
