// Schemas that are functions, as JSON Schema has them.

import type { JsonSchema } from '@valibot/to-json-schema';
import {
  comparisonIdSchema,
  documentIdSchema,
  nodeIdSchema,
  runIdSchema,
  sweepIdSchema,
} from '../../core/schema.ts';
import { sentModelSchema } from '../../wire/api/headroom-request.ts';

export const OWN_SCHEMAS: ReadonlyMap<unknown, JsonSchema> = new Map<unknown, JsonSchema>([
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
