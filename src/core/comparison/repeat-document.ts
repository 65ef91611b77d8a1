// The document of several runs of one command, `repeat.json`: how runs vary without a change between them,
// and the smallest change that this many runs can detect.

import type { ReportEnvironment } from '../run/report.ts';
import type { Reported } from '../unknown.ts';
import { refusalsBetween } from './comparability.ts';
import type { FinishedSide, FinishedUnit } from './compare-finished.ts';
import { runSpread, type SpreadMetric } from './run-spread.ts';

export const REPEAT_SCHEMA = 'plimsoll.repeat/1';

export interface RepeatDocument {
  readonly schema: typeof REPEAT_SCHEMA;
  readonly id: string;
  readonly plimsoll: { readonly version: string };
  readonly environment: ReportEnvironment;
  readonly target: Reported<string>;
  readonly model: Reported<string>;
  readonly serverKind: Reported<string>;
  readonly units: readonly FinishedUnit[];
  readonly spread: readonly SpreadMetric[];
  /** What a reader must know in addition to the figures, one sentence each. */
  readonly notices: readonly string[];
}

export const repeatDocument = (
  { target, model, serverKind, units }: FinishedSide,
  reported: Pick<RepeatDocument, 'id' | 'plimsoll' | 'environment'>,
): RepeatDocument => ({
  schema: REPEAT_SCHEMA,
  ...reported,
  target,
  model,
  serverKind,
  units,
  spread: runSpread(units),
  notices: [
    ...units.flatMap(({ runId, fault }) => (fault === '' ? [] : [`Run ${runId} is not complete: ${fault}`])),
    ...refusalsBetween(
      units.map(({ facts }) => facts),
      [],
    ).map(
      ({ code, problem, a }) =>
        `${code === 'client' ? '' : 'The runs are not comparable with each other. '}${problem}: ${a}`,
    ),
  ],
});
