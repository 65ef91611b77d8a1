// The document of several runs of one command, `repeat.json`: how runs vary without a change between them,
// and the smallest change that this many runs can detect.

import * as v from 'valibot';
import { environmentSchema } from '../run/report.ts';
import { type Infer, longText, openObject, reported, text } from '../schema.ts';
import { SPREAD_METRICS_MAX } from './baseline.ts';
import { refusalsBetween } from './comparability.ts';
import { type FinishedSide, finishedUnitSchema } from './compare-finished.ts';
import { UNITS_MAX } from './comparison-document.ts';
import { runSpread, spreadMetricSchema } from './run-spread.ts';

export const REPEAT_SCHEMA = 'plimsoll.repeat/1';

/** Derived from the directories of its runs, and never read. */
export const repeatSchema = openObject({
  schema: v.literal(REPEAT_SCHEMA),
  id: text,
  plimsoll: openObject({ version: text }),
  environment: environmentSchema,
  target: reported(text),
  model: reported(text),
  serverKind: reported(text),
  units: v.pipe(v.array(finishedUnitSchema), v.maxLength(UNITS_MAX)),
  spread: v.pipe(v.array(spreadMetricSchema), v.maxLength(SPREAD_METRICS_MAX)),
  notices: v.pipe(
    v.array(longText),
    v.description('What a reader must know in addition to the figures, one sentence each.'),
  ),
});

export type RepeatDocument = Infer<typeof repeatSchema>;

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
