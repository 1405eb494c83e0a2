import * as v from 'valibot';

const resourceSchema = v.object({
  Type: v.string(),
  Condition: v.optional(v.string()),
  DependsOn: v.optional(v.union([v.array(v.string()), v.string()]), []),
  Properties: v.optional(v.record(v.string(), v.unknown()), {}),
});

const parameterSchema = v.object({
  Type: v.string(),
  Default: v.optional(v.union([v.string(), v.number()])),
});

/**
 * A CloudFormation template. `Rules` and `Metadata` need nothing here (deploy-time checks and
 * notes); a `Transform` would change the template on AWS, so it is refused.
 */
export const templateSchema = v.object({
  Transform: v.optional(v.never('a template with a Transform (macro) cannot be run here')),
  Parameters: v.optional(v.record(v.string(), parameterSchema), {}),
  Mappings: v.optional(
    v.record(v.string(), v.record(v.string(), v.record(v.string(), v.unknown()))),
    {},
  ),
  Conditions: v.optional(v.record(v.string(), v.unknown()), {}),
  Resources: v.record(v.string(), resourceSchema),
  Outputs: v.optional(
    v.record(v.string(), v.object({ Value: v.unknown(), Condition: v.optional(v.string()) })),
    {},
  ),
});

export type Template = v.InferOutput<typeof templateSchema>;
export type TemplateResource = v.InferOutput<typeof resourceSchema>;
