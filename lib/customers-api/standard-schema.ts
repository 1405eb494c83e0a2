/**
 * A schema of any library that keeps to Standard Schema, such as valibot, zod and arktype. The interface is copied
 * from https://standardschema.dev (version 1), which is made for that: no library becomes a dependency.
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': StandardSchemaProps<Input, Output>;
}

interface StandardSchemaProps<Input, Output> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
  /** Only for the compiler: no schema has it. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  /** Often quotes the value that was received. */
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
