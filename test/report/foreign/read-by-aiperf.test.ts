import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { writeFileAtomic } from '../../../src/process/atomic-file.ts';
import type { ForeignFormName } from '../../../src/report/foreign/foreign-form-names.ts';
import { FOREIGN_FORMS } from '../../../src/report/foreign/foreign-forms.ts';
import { measuredSamples } from '../../../src/report/foreign/foreign-series.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeTimedRun } from '../../support/timed-runs.ts';

const python = process.env['PLIMSOLL_PEERS_PYTHON'];

/** AIPerf's own models read what was written, and NumPy computes the figures again from the records. */
const READER = `
import json, sys
import numpy as np
from aiperf.common.models.export_models import JsonExportData
from aiperf.common.models.record_models import MetricRecordInfo
records = [MetricRecordInfo.model_validate_json(line) for line in open(sys.argv[1])]
summary = JsonExportData.model_validate_json(open(sys.argv[2]).read())
result = json.load(open(sys.argv[3]))
def all_of(name):
    return np.array([record.metrics[name].value for record in records])
gaps = np.array([gap for record in records for gap in record.metrics["inter_chunk_latency"].value])
ttft, tpot = all_of("time_to_first_token"), all_of("inter_token_latency")
print(json.dumps({
    "records": len(records),
    "summary": [summary.time_to_first_token.p99, summary.time_to_first_token.std, summary.request_latency.avg],
    "summaryAgain": [np.percentile(ttft, 99), np.std(ttft), all_of("request_latency").mean()],
    "vllm": [result["p99_ttft_ms"], result["std_tpot_ms"], result["median_itl_ms"], result["mean_e2el_ms"]],
    "vllmAgain": [np.percentile(ttft, 99), np.std(tpot), np.median(gaps), all_of("request_latency").mean()],
}))
`;

test("AIPerf's own reader takes what is written for it, and NumPy computes the same figures", async context => {
  if (python === undefined) context.skip('PLIMSOLL_PEERS_PYTHON names no Python that has aiperf');
  using directory = temporaryDirectory();
  const report = writeTimedRun(directory.path, { seed: 5, requests: 300 });
  const written = async (form: ForeignFormName): Promise<string> => {
    const path = join(directory.path, form);
    await writeFileAtomic(
      path,
      FOREIGN_FORMS[form](report, () => measuredSamples(join(directory.path, 'samples.jsonl'))),
    );
    return path;
  };
  const files = [await written('aiperf'), await written('genai-perf'), await written('vllm')];
  const { stdout } = await promisify(execFile)(python ?? '', ['-c', READER, ...files]);
  const { records, summary, summaryAgain, vllm, vllmAgain } = JSON.parse(stdout);
  expect(records).toBe(300);
  for (const [reported, again] of [
    [summary, summaryAgain],
    [vllm, vllmAgain],
  ])
    for (const [index, figure] of reported.entries()) expect(figure / again[index]).toBeCloseTo(1, 9);
});
