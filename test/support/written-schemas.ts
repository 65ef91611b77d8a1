// The documents that Plimsoll writes to disk, each with the schema by which it is read: test/fixtures/versions has one of each.

import { comparisonSchema } from '../../src/core/comparison/comparison-document.ts';
import { reportSchema } from '../../src/core/run/report.ts';
import { lineDocumentSchema, sweepDocumentSchema } from '../../src/core/sweep/sweep-document.ts';
import { agentRequestSchema } from '../../src/wire/agent-request.ts';

export const WRITTEN_SCHEMAS = {
  agentRequest: agentRequestSchema,
  comparison: comparisonSchema,
  line: lineDocumentSchema,
  report: reportSchema,
  sweep: sweepDocumentSchema,
} as const;
