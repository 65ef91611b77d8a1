// A baseline: the figures of several runs of a known good state, stored under a name, so that a later job
// needs none of their files. It contains what decides whether runs are comparable, and how much its runs
// differed from each other.

import type { Reported } from '../unknown.ts';
import type { FinishedSide, FinishedUnit, LoadMachine } from './compare-finished.ts';
import { runSpread, type SpreadMetric } from './run-spread.ts';

export const BASELINE_SCHEMA = 'plimsoll.baseline/1';

/** With fewer runs, the variation between runs of that state is unknown. */
export const BASELINE_RUNS_MIN = 5;

export interface BaselineDocument {
  readonly schema: typeof BASELINE_SCHEMA;
  readonly name: string;
  readonly plimsoll: { readonly version: string };
  readonly savedAt: string;
  readonly target: Reported<string>;
  readonly model: Reported<string>;
  readonly serverKind: Reported<string>;
  readonly environment: Reported<LoadMachine>;
  readonly units: readonly FinishedUnit[];
  readonly spread: readonly SpreadMetric[];
}

export const BASELINE_NAME: RegExp = /^[a-z0-9-]{1,64}$/;

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
