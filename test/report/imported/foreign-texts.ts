// Files of other tools, made from requests whose times are known.

import { join } from 'node:path';
import type { ForeignFormName } from '../../../src/report/foreign/foreign-form-names.ts';
import { FOREIGN_FORMS } from '../../../src/report/foreign/foreign-forms.ts';
import { measuredSamples } from '../../../src/report/foreign/foreign-series.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { timedSamplesOf, writeTimedRun } from '../../support/timed-runs.ts';

const OPTIONS = { seed: 11, requests: 40, outputTokens: 6 };

/** As --as writes it, which the tools' own readers take. */
export const writtenAs = async (form: ForeignFormName): Promise<string> => {
  using directory = temporaryDirectory();
  const report = writeTimedRun(directory.path, OPTIONS);
  let text = '';
  for await (const part of FOREIGN_FORMS[form](report, () =>
    measuredSamples(join(directory.path, 'samples.jsonl')),
  ))
    text += part;
  return text;
};

/** With the lists of --save-detailed, as vLLM's benchmark writes them: seconds. */
export const detailedVllm = async (): Promise<string> => {
  const samples = timedSamplesOf(OPTIONS);
  const all: unknown = JSON.parse(await writtenAs('vllm'));
  return JSON.stringify({
    ...Object(all),
    input_lens: samples.map(({ inputTokens }) => inputTokens),
    output_lens: samples.map(({ outputTokens }) => outputTokens),
    ttfts: samples.map(({ sentNs, firstContentNs }) => (firstContentNs - sentNs) / 1e9),
    itls: samples.map(({ chunkGapsNs }) => chunkGapsNs.map(gap => gap / 1e9)),
    start_times: samples.map(({ sentNs }) => 5_000 + sentNs / 1e9),
    generated_texts: samples.map(() => 'text'),
    errors: samples.map(() => ''),
  });
};

export const EXPECTED = timedSamplesOf(OPTIONS);
