// A baseline: the figures of several runs of a known good state, stored under a name, so that a later job
// needs none of their files. It contains what decides whether runs are comparable, and how much its runs
// differed from each other.

import * as v from 'valibot';
import { environmentSchema } from '../run/report.ts';
import { type Infer, openObject, reported, text } from '../schema.ts';
import { type FinishedSide, finishedUnitSchema } from './compare-finished.ts';
import { UNITS_MAX } from './comparison-document.ts';
import { runSpread, spreadMetricSchema } from './run-spread.ts';

export const BASELINE_SCHEMA = 'plimsoll.baseline/1';

/** With fewer runs, the variation between runs of that state is unknown. */
export const BASELINE_RUNS_MIN = 5;

export const BASELINE_NAME: RegExp = /^[a-z0-9-]{1,64}$/;

export const SPREAD_METRICS_MAX = 64;

export const baselineSchema = openObject({
  schema: v.literal(BASELINE_SCHEMA),
  name: v.pipe(v.string(), v.regex(BASELINE_NAME, 'not the name of a baseline')),
  plimsoll: openObject({ version: text }),
  savedAt: text,
  target: reported(text),
  model: reported(text),
  serverKind: reported(text),
  environment: reported(environmentSchema),
  units: v.pipe(v.array(finishedUnitSchema), v.minLength(1), v.maxLength(UNITS_MAX)),
  spread: v.pipe(v.array(spreadMetricSchema), v.maxLength(SPREAD_METRICS_MAX)),
});

export type BaselineDocument = Infer<typeof baselineSchema>;

/** What `plimsoll baseline list --json` prints. */
export const baselinesSchema = v.object({
  schema: v.literal('plimsoll.baselines/1'),
  baselines: v.array(baselineSchema),
});

export type BaselinesDocument = Infer<typeof baselinesSchema>;

export const baselineDocument = (
  { target, model, serverKind, environment, units }: FinishedSide,
  { name, version, savedAt }: { readonly name: string; readonly version: string; readonly savedAt: string },
): BaselineDocument => ({
  schema: BASELINE_SCHEMA,
  name,
  plimsoll: { version },
  savedAt,
  target,
  model,
  serverKind,
  environment,
  units,
  spread: runSpread(units),
});

export const baselineSide = ({
  name,
  target,
  model,
  serverKind,
  environment,
  units,
}: BaselineDocument): FinishedSide => ({
  label: `baseline ${name}`,
  target,
  model,
  serverKind,
  environment,
  units,
  runsMin: BASELINE_RUNS_MIN,
  only: undefined,
});
