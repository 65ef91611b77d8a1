// One agent's part of a report, as it is after a run from several.

import type { ReportAgent } from '../../src/core/run/report-agent.ts';

export const madeUpAgent = (name: string, changes: Partial<ReportAgent> = {}): ReportAgent => ({
  name,
  version: '1.2.3',
  state: 'complete',
  reason: '',
  counts: { issued: 300, completed: 298, failed: 2, cancelled: 0, unresolved: 0 },
  errors: { reset: 2 },
  verdict: 'trustworthy',
  verdictReasons: [],
  stamps: { by: 'kernel' },
  sendLatenessNsP99: 42_000,
  clockErrorMs: 0.0414,
  clockDriftPpm: 3,
  planned: 300,
  cpu: 'test',
  cores: 2,
  ...changes,
});
