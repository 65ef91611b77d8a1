// A run over time as a page stores it, with the columns that a test names.

import type { RunSeries } from '../../dashboard/src/run/run-series.ts';

export const madeUpSeries = (reported: Partial<RunSeries>): RunSeries => ({
  isLive: false,
  notice: '',
  stepMs: 1_000,
  measured: 'ttftNs',
  requestsPerSecond: [],
  outputTokensPerSecond: [],
  inFlight: [],
  failed: [],
  percentilesNs: { 1: [], 10: [], 25: [], 50: [], 75: [], 90: [], 99: [] },
  ...reported,
});
