// The documents that Plimsoll writes to disk, each with the schema by which it is read: test/fixtures/versions has one of each.

import { agentRequestSchema } from '../../src/wire/agent-request.ts';
import { comparisonSchema } from '../../src/wire/comparison-schema.ts';
import { reportSchema } from '../../src/wire/report-codec.ts';
import { lineDocumentSchema, sweepDocumentSchema } from '../../src/wire/sweep-schema.ts';

export const WRITTEN_SCHEMAS = {
  agentRequest: agentRequestSchema,
  comparison: comparisonSchema,
  line: lineDocumentSchema,
  report: reportSchema,
  sweep: sweepDocumentSchema,
} as const;
