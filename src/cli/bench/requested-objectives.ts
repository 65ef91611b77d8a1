// What `--slo` and `--attainment` mean together, and which objectives a run of this kind can have.

import { type Objective, objectiveName, objectiveSeries } from '../../core/run/objective.ts';
import { isOpenLoop, type RunPattern } from '../../core/run/run-pattern.ts';
import { seriesRow } from '../../core/run/run-series.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { OBJECTIVES_MAX } from '../../wire/objective-schema.ts';
import { usage } from '../command-error.ts';

interface RequestedObjectives {
  readonly objectives: readonly Objective[];
  readonly attainment: number;
}

/** @throws CommandError `usage`. */
export const requestedObjectives = (
  given: { readonly slo: readonly Objective[]; readonly attainment: number | undefined },
  run: { readonly pattern: RunPattern; readonly isStreaming: boolean },
  attainmentDefault: number,
): RequestedObjectives => {
  if (given.slo.length > OBJECTIVES_MAX)
    throw usage(`--slo is given ${given.slo.length} times`, `Use at most ${OBJECTIVES_MAX}.`);
  if (given.attainment !== undefined && given.slo.every(({ kind }) => kind !== 'request')) {
    throw usage(
      '--attainment has no effect without an objective of a single request',
      'Write: --slo ttft=500ms --attainment 95%',
    );
  }
  const names = given.slo.map(objectiveName);
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) throw usage(`--slo ${name} is given twice`, 'Use it once.');
  }
  for (const objective of given.slo) checkAgainst(objective, run);
  return { objectives: given.slo, attainment: given.attainment ?? attainmentDefault };
};

const checkAgainst = (
  objective: Objective,
  { pattern, isStreaming }: { readonly pattern: RunPattern; readonly isStreaming: boolean },
): void => {
  if (objective.kind === 'error-rate') return;
  const name = objectiveName(objective);
  const { runs } = seriesRow(objectiveSeries(objective.name));
  if (!isStreaming && runs.startsWith('streamed')) {
    throw usage(`--slo ${name} needs a stream`, 'Leave out --streaming off, or use --slo latency=2s.');
  }
  if (!isOpenLoop(pattern) && runs.endsWith('scheduled')) {
    throw usage(
      `--slo ${name} needs --rate: without a rate there are no intended send times`,
      `Write: ${shellCommand`--slo ${`${name.replace('-from-intended', '')}=500ms`}`}`,
    );
  }
};
