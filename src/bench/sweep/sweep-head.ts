// The part of sweep.json and line.json about how they were requested.

import { judgedObjectives, judgedText, objectiveFields } from '../../core/run/objective.ts';
import type { SweepHead } from '../../core/sweep/sweep-document.ts';
import { unknown } from '../../core/unknown.ts';
import type { StageParts } from './run-stage.ts';

export interface SweepHeadOptions {
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The command that repeats it, without secrets. */
  readonly command: string;
}

export const sweepHead = (
  { id, startedAt, command }: SweepHeadOptions,
  { request, bench }: Pick<StageParts, 'request' | 'bench'>,
): Omit<SweepHead, 'state' | 'stages'> => ({
  id,
  plimsoll: { version: bench.version },
  name: request.name ?? unknown('not named'),
  tags: request.tags,
  startedAt,
  target: request.target.shown,
  model: request.model ?? unknown('the server has not been queried yet'),
  serverKind: unknown('the server has not been queried yet'),
  dataset: request.dataset.kind === 'file' ? request.dataset.shownPath : 'generated prompts',
  objectives: judgedObjectives(objectiveFields(request.objectives, request.attainment)).map(judgedText),
  attainment: request.attainment,
  seed: request.seed,
  command,
  environment: bench.environment,
});
