// The formats of other tools in which a run can be written, by their names on the command line, so that dashboards
// and scripts for those tools continue to work. Each uses its own tool's definitions; docs/formats.md describes them.

import type { Report } from '../../core/run/report.ts';
import { aiperfRecords } from './aiperf-records.ts';
import type { ForeignFormName, SeriesFormName } from './foreign-form-names.ts';
import type { SampledRun, SampleReading } from './foreign-series.ts';
import { genaiPerfSummary } from './genai-perf-summary.ts';
import { guidellmReport, guidellmSeries } from './guidellm-report.ts';
import { inferencePerfSummary } from './inference-perf-summary.ts';
import { inferencexRow } from './inferencex-row.ts';
import { vllmResult } from './vllm-result.ts';

/** A text in parts, none of which needs the whole run in memory. */
type ForeignForm = (report: Report, samples: SampleReading) => AsyncIterable<string>;

export const FOREIGN_FORMS: Readonly<Record<ForeignFormName, ForeignForm>> = {
  vllm: vllmResult,
  aiperf: aiperfRecords,
  guidellm: guidellmReport,
  'genai-perf': genaiPerfSummary,
  'inference-perf': inferencePerfSummary,
  inferencex: inferencexRow,
};

/** Several runs as one text, with the id of what they belong to. */
type SeriesForm = (id: string, runs: readonly SampledRun[]) => AsyncIterable<string>;

/** Those of them that may contain several runs. */
export const SERIES_FORMS: Readonly<Record<SeriesFormName, SeriesForm>> = {
  guidellm: guidellmSeries,
};
