// JSON Schema (draft 2020-12) of our schemas, by one conversion for everything that is published: the description of the API, the
// tools of MCP, and the documents that commands print. Loads the converter, which no measurement needs: import it when it is used.

import { type JsonSchema, type OverrideSchemaContext, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import {
  comparisonIdSchema,
  documentIdSchema,
  nodeIdSchema,
  runIdSchema,
  sweepIdSchema,
} from '../../core/schema.ts';
import { sentModelSchema } from '../../wire/api/headroom-request.ts';

interface JsonSchemaOptions {
  /** As it is sent to us, with optional fields; or as it arrives, where a field with a default is always present. */
  readonly typeMode: 'input' | 'output';
  /** Named schemas, which are converted once, into $defs, and referred to. */
  readonly definitions?: Readonly<Record<string, v.GenericSchema>>;
  /** Where a reader finds a named schema. Default: $defs. */
  readonly referenceTo?: (name: string) => string;
}

export const jsonSchemaOf = (
  schema: v.GenericSchema,
  { typeMode, definitions = {}, referenceTo }: JsonSchemaOptions,
): JsonSchema =>
  toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode,
    definitions: { ...definitions },
    // JSON has no other numbers, and a guard requires nothing that its object does not.
    ignoreActions: ['finite', 'guard'],
    overrideRef: ({ referenceId }) => referenceTo?.(referenceId),
    overrideSchema: context => OWN_SCHEMAS.get(context.valibotSchema) ?? overridden(context, typeMode),
  });

const overridden = (
  { valibotSchema, jsonSchema, errors }: OverrideSchemaContext,
  typeMode: 'input' | 'output',
): JsonSchema | undefined => {
  switch (valibotSchema.type) {
    case 'record':
      // Keys that are strings by a check of ours are converted, and complained of.
      return errors?.length === 1 ? jsonSchema : undefined;
    case 'exact_optional':
    case 'object':
      return typeMode === 'output' ? asReported(valibotSchema, jsonSchema) : undefined;
    default:
      return undefined;
  }
};

/** A field with a default is always in the output, so it is required there. */
const asReported = (valibotSchema: object, { default: _, ...jsonSchema }: JsonSchema): JsonSchema => {
  const { required, properties = {} } = jsonSchema;
  if (required === undefined || !('entries' in valibotSchema)) return jsonSchema;
  const entries: object = valibotSchema.entries ?? {};
  const reported = Object.keys(properties).filter(name => hasDefault(Reflect.get(entries, name)));
  return { ...jsonSchema, required: [...required, ...reported] };
};

const hasDefault = (entry: unknown): boolean =>
  typeof entry === 'object' && entry !== null && 'default' in entry && entry.default !== undefined;

/** Schemas that are functions, as JSON Schema has them. */
const OWN_SCHEMAS: ReadonlyMap<unknown, JsonSchema> = new Map<unknown, JsonSchema>([
  [
    sentModelSchema,
    {
      type: 'object',
      description: 'Facts of a model: `model` of `plimsoll headroom --json`, with all of its fields.',
      properties: {
        name: { type: 'string', description: 'Its name in its file or on its server.' },
        notes: { type: 'array', items: { type: 'string' }, description: 'What was assumed or is missing.' },
      },
      required: ['name', 'notes'],
    },
  ],
  [nodeIdSchema, { type: 'string', pattern: '^[a-z0-9]{26}$', description: 'Of a node.' }],
  [runIdSchema, { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$', description: 'Of a run.' }],
  [comparisonIdSchema, { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$', description: 'Of a comparison.' }],
  [sweepIdSchema, { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$', description: 'Of a sweep or line.' }],
  [documentIdSchema, { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$', description: 'Of a document.' }],
]);
