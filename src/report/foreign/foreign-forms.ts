// The formats of other tools that a run can be written in, by their names on the command line, so that dashboards and
// scripts made for those tools go on working. Each computes by its own tool's definitions; docs/formats.md tells them.

import type { Report } from '../../core/run/report.ts';
import { aiperfRecords } from './aiperf-records.ts';
import { genaiPerfSummary } from './genai-perf-summary.ts';
import type { SampleReading } from './measured-samples.ts';
import { vllmResult } from './vllm-result.ts';

export interface ForeignForm {
  /** "the result file of `vllm bench serve`". */
  readonly meaning: string;
  readonly text: (report: Report, samples: SampleReading) => AsyncIterable<string>;
}

export type ForeignFormName = 'vllm' | 'aiperf' | 'genai-perf';

export const FOREIGN_FORMS: Readonly<Record<ForeignFormName, ForeignForm>> = {
  vllm: { meaning: 'the result file of vllm bench serve', text: vllmResult },
  aiperf: { meaning: "AIPerf's profile_export.jsonl, a line each request", text: aiperfRecords },
  'genai-perf': { meaning: "GenAI-Perf's profile_export_genai_perf.json", text: genaiPerfSummary },
};
