import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as v from 'valibot';
import type { ApiAnswer, ApiRequest } from './api-world.ts';

export const OPENAPI_FILE = join(import.meta.dirname, '../../../docs/openapi.json');

const Ref = v.object({ $ref: v.string() });
const Parameter = v.object({ name: v.string(), in: v.picklist(['path', 'query', 'header']) });
const Response = v.object({
  headers: v.optional(v.record(v.string(), v.object({ required: v.optional(v.boolean()) })), {}),
  content: v.record(
    v.string(),
    v.object({ schema: v.unknown(), example: v.optional(v.unknown()) }),
  ),
});
const Operation = v.object({
  operationId: v.string(),
  tags: v.array(v.string()),
  parameters: v.optional(v.array(v.union([Ref, Parameter])), []),
  responses: v.record(v.string(), v.union([Ref, Response])),
});
const Document = v.object({
  paths: v.record(
    v.string(),
    v.object({
      parameters: v.optional(v.array(v.union([Ref, Parameter])), []),
      get: v.optional(Operation),
      post: v.optional(Operation),
    }),
  ),
});

const text: unknown = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8'));
const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
ajv.addSchema(Object(text), 'openapi.json');

/** Follows a reference inside the document. */
function resolved<T>(schema: v.GenericSchema<unknown, T>, value: unknown): T {
  const ref = v.safeParse(Ref, value);
  if (!ref.success) return v.parse(schema, value);
  const segments = ref.output.$ref.slice('#/'.length).split('/');
  return v.parse(
    schema,
    segments.reduce((node: unknown, name) => Reflect.get(Object(node), name), text),
  );
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly v.InferOutput<typeof Parameter>[];
  /** By status; `default` is what API Gateway answers by itself. */
  readonly responses: Readonly<Record<string, v.InferOutput<typeof Response>>>;
}

export const operations: readonly DocumentedOperation[] = Object.entries(
  v.parse(Document, text).paths,
).flatMap(([path, item]) =>
  (['get', 'post'] as const).flatMap((method) => {
    const operation = item[method];
    if (operation === undefined) return [];
    const { operationId, tags, responses } = operation;
    const parameters = [...item.parameters, ...operation.parameters];
    return [
      {
        operationId,
        tags,
        method: method.toUpperCase(),
        path,
        parameters: parameters.map((one) => resolved(Parameter, one)),
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, one]) => [status, resolved(Response, one)]),
        ),
      },
    ];
  }),
);

/** What an operation may answer and what was answered, each as `operationId status`. */
export function documentedAnswers(isMeant: (operation: DocumentedOperation) => boolean) {
  return operations
    .filter(isMeant)
    .flatMap(({ operationId, responses }) =>
      Object.keys(responses)
        .filter((status) => status !== 'default')
        .map((status) => `${operationId} ${status}`),
    )
    .sort();
}

/** What is wrong with an example of the document, or with an answer; nothing for what fits. */
export function problemsOfBody(schema: unknown, body: unknown): readonly string[] {
  const validate = compiled(withAbsoluteRefs(schema));
  validate(body);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const validators = new Map<string, ValidateFunction>();

/** Once for each schema: to compile one takes longer than most requests. */
function compiled(schema: string): ValidateFunction {
  const validate = validators.get(schema) ?? ajv.compile(JSON.parse(schema));
  validators.set(schema, validate);
  return validate;
}

function withAbsoluteRefs(schema: unknown): string {
  return JSON.stringify(schema).replaceAll('"#/', '"openapi.json#/');
}

/** A client that is made of the document: it calls by operation, and holds every answer to it. */
export function createOpenApiClient(send: (request: ApiRequest) => Promise<ApiAnswer>) {
  /** `operationId status code` of every answer. */
  const seen = new Set<string>();

  return {
    seen,
    call: async (
      operationId: string,
      values: Readonly<Record<string, string | number>>,
      more: Omit<ApiRequest, 'path'> = {},
    ): Promise<ApiAnswer> => {
      const operation = operations.find((one) => one.operationId === operationId);
      if (operation === undefined) throw new Error(`${operationId} is not in the document`);
      const answer = await send({ ...requestOf(operation, values), ...more });
      const at = `${operationId} ${answer.status}`;
      const documented = operation.responses[answer.status];
      if (documented === undefined) throw new Error(`${at} is not in the document`);
      const type = answer.headers['content-type'] ?? '';
      const problems = [
        ...(type in documented.content ? [] : [`content type ${type} is not in the document`]),
        ...Object.entries(documented.headers)
          .filter(([name, { required }]) => required && !(name.toLowerCase() in answer.headers))
          .map(([name]) => `header ${name} is missing`),
        ...problemsOfBody(documented.content[type]?.schema ?? false, answer.body),
      ];
      if (problems.length > 0) throw new Error(`${at}: ${problems.join('; ')}`);
      seen.add(`${at} ${String(answer.body['code'] ?? '')}`.trim());
      return answer;
    },
  };
}

function requestOf(
  { method, path, parameters }: DocumentedOperation,
  values: Readonly<Record<string, string | number>>,
): ApiRequest {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let filled = path;
  for (const [name, value] of Object.entries(values)) {
    const place = parameters.find((one) => one.name === name)?.in;
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (place === 'header') headers[name] = String(value);
    else query.set(name, String(value));
  }
  const search = query.size === 0 ? '' : `?${query}`;
  return { method, path: filled + search, headers };
}
