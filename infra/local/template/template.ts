import * as v from 'valibot';
import { recordOf } from '../../../lib/record-of.ts';

const resourceSchema = v.object({
  Type: v.string(),
  Condition: v.optional(v.string()),
  DeletionPolicy: v.optional(v.string()),
  DependsOn: v.optional(v.union([v.array(v.string()), v.string()]), []),
  Properties: v.optional(recordOf(v.string(), v.unknown()), {}),
});

/**
 * A CloudFormation template. `Rules` and `Metadata` need nothing here (deploy-time checks and notes);
 * parameters, mappings and conditions can be declared, and what refers to one is refused. A `Transform`
 * would change the template on AWS.
 */
export const templateSchema = v.object({
  Transform: v.optional(v.never('a template with a Transform (macro) cannot be run here')),
  Resources: recordOf(v.string(), resourceSchema),
  Outputs: v.optional(
    recordOf(
      v.string(),
      v.object({
        Value: v.unknown(),
        Condition: v.optional(v.never('an output under a condition cannot be run here')),
      }),
    ),
    {},
  ),
});

export type Template = v.InferOutput<typeof templateSchema>;
export type TemplateResource = v.InferOutput<typeof resourceSchema>;
