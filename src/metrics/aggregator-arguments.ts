// The argument of the aggregator's process: one JSON text, written by its parent and validated by itself.

import * as v from 'valibot';
import { objectiveEntries } from '../core/run/objective.ts';
import { runPatternSchema } from '../core/run/run-pattern.ts';
import { runShapeSchema } from '../core/run/run-shape.ts';
import type { Infer } from '../core/schema.ts';

/** @throws an Error with a sentence for anything else. */
export const parseAggregatorArguments = (text: string): AggregatorArguments => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error('the argument of the aggregator is not JSON', { cause: error });
  }
  const result = v.safeParse(ARGUMENTS, json);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new Error(
    `the argument of the aggregator is wrong at ${v.getDotPath(issue) ?? 'its root'}: ${issue.message}`,
  );
};

const ARGUMENTS = v.object({
  /** Where the event batches come from. */
  eventsEndpoint: v.pipe(v.string(), v.nonEmpty()),
  /** Where snapshots are published. */
  snapshotsEndpoint: v.pipe(v.string(), v.nonEmpty()),
  /** Path of final_snapshot.json; its folder exists. */
  file: v.pipe(v.string(), v.nonEmpty()),
  pattern: runPatternSchema,
  shape: runShapeSchema,
  isStreaming: v.boolean(),
  ...objectiveEntries,
  /** For an agent: its snapshots contain the histograms themselves. */
  hasCells: v.exactOptional(v.boolean()),
  /** false: one live snapshot a second is enough for the parent. Default true. */
  isLookedAt: v.exactOptional(v.boolean()),
  /** Snapshots a second; default 5. */
  refreshHz: v.exactOptional(v.pipe(v.number(), v.minValue(0.1), v.maxValue(100))),
  /** Default 30 s. */
  drainMsMax: v.exactOptional(v.pipe(v.number(), v.minValue(0), v.maxValue(3_600_000))),
});

export type AggregatorArguments = Infer<typeof ARGUMENTS>;
