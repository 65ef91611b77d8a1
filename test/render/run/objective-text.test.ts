import { expect, test } from 'vitest';
import { judgedObjectives, objectiveFields } from '../../../src/core/run/objective.ts';
import { parseObjectives } from '../../../src/core/run/parse-objective.ts';
import { judgedObjectiveText } from '../../../src/render/run/objective-text.ts';

test.for([
  ['ttft.p95=500ms', 1, ['TTFT p95 ≤ 500 ms']],
  ['tpot.p99=50ms,latency.mean=3s', 1, ['TPOT p99 ≤ 50 ms', 'mean latency ≤ 3 s']],
  ['turn 2+ ttft.p95=300ms', 1, ['TTFT p95 from turn 2 on ≤ 300 ms']],
  [' turn 3+  latency.mean=1s,ttft.p95=1s', 1, ['mean latency from turn 3 on ≤ 1 s', 'TTFT p95 ≤ 1 s']],
  ['error-rate=0.1%', 1, ['error rate ≤ 0.1 %']],
  ['ttft=500ms,latency=2s', 0.95, ['TTFT ≤ 500 ms and latency ≤ 2 s for 95 % of requests']],
  ['ttft=500ms', 1, ['TTFT ≤ 500 ms for every request']],
] as const)('%s at %d is reported as %j', ([text, attainment, expected]) => {
  const parsed = parseObjectives(text);
  if (parsed.kind === 'wrong') throw new Error(parsed.problem);
  const reported = judgedObjectives(objectiveFields(parsed.value, attainment)).map(judgedObjectiveText);
  expect(reported.map(text => text.replaceAll(/[\u00a0\u202f]/g, ' '))).toEqual(expected);
});
