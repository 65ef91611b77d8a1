// A depth profile in the format that users of llama-bench post, so that both can be in one table.

import type { DepthProfile } from '../../core/depth/depth-profile.ts';
import { depthRemarks, depthTestName, plusMinusText } from '../../core/depth/depth-text.ts';
import type { Report, ReportRun } from '../../core/run/report.ts';
import { isUnknown, knownOr } from '../../core/unknown.ts';
import { codeCell, markdownCode, markdownTable, markdownText } from './markdown-text.ts';

export const depthMarkdown = (
  profile: DepthProfile,
  { model, serverKind }: Pick<ReportRun, 'model' | 'serverKind'>,
  calibration?: Report['calibration'],
): readonly string[] => {
  const { plan, rows } = profile;
  const size = isUnknown(plan.sizeBytes) ? '–' : `${(plan.sizeBytes / GIBIBYTE).toFixed(2)} GiB`;
  const parameters = isUnknown(plan.parameters) ? '–' : `${(plan.parameters / BILLION).toFixed(2)} B`;
  return [
    ...markdownTable(
      ['model', 'size', 'params', 'backend', 'test', 't/s'],
      rows.map(row => [
        codeCell(knownOr(model, 'unknown')),
        size,
        parameters,
        knownOr(serverKind, 'unknown'),
        // "pp512 @ d4096" of figures alone, as llama-bench writes it.
        { markdown: depthTestName(row, plan) },
        plusMinusText(row.tokensPerSecond),
      ]),
    ),
    '',
    ...depthRemarks(profile, calibration).map(
      ({ test, words }) => `- ${markdownCode(test)}: ${markdownText(words)}`,
    ),
    `- over HTTP, one request at a time, ± over ${plan.repetitions} repetitions; times to first token include the way there and back`,
    '',
  ];
};

const GIBIBYTE = 1024 ** 3;
const BILLION = 1e9;
