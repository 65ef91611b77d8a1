// The argument of the aggregator's process: one JSON text, written by its parent and validated by itself.

import * as v from 'valibot';
import type { ObjectiveFields } from '../core/run/objective.ts';
import type { RunPattern } from '../core/run/run-pattern.ts';
import type { RunShape } from '../core/run/run-shape.ts';
import { objectiveEntries } from '../wire/objective-schema.ts';
import { runShapeSchema } from '../wire/run-shape.ts';

export interface AggregatorArguments extends ObjectiveFields {
  /** Where the event batches come from. */
  readonly eventsEndpoint: string;
  /** Where snapshots are published. */
  readonly snapshotsEndpoint: string;
  /** Path of final_snapshot.json; its folder exists. */
  readonly file: string;
  readonly pattern: RunPattern;
  readonly shape: RunShape;
  readonly isStreaming: boolean;
  /** For an agent: its snapshots contain the histograms themselves. */
  readonly hasCells?: boolean;
  /** false: one live snapshot a second is enough for the parent. Default true. */
  readonly isLookedAt?: boolean;
  /** Snapshots a second; default 5. */
  readonly refreshHz?: number;
  /** Default 30 s. */
  readonly drainMsMax?: number;
}

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

const rate = v.pipe(v.number(), v.finite(), v.minValue(0));

const ARGUMENTS: v.GenericSchema<unknown, AggregatorArguments> = v.object({
  eventsEndpoint: v.pipe(v.string(), v.nonEmpty()),
  snapshotsEndpoint: v.pipe(v.string(), v.nonEmpty()),
  file: v.pipe(v.string(), v.nonEmpty()),
  pattern: v.variant('kind', [
    v.object({
      kind: v.literal('concurrency'),
      concurrency: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
    }),
    v.object({ kind: v.literal('poisson'), requestsPerSecond: rate }),
    v.object({ kind: v.literal('constant'), requestsPerSecond: rate }),
    v.object({ kind: v.literal('max-throughput') }),
  ]),
  shape: runShapeSchema,
  isStreaming: v.boolean(),
  ...objectiveEntries,
  hasCells: v.exactOptional(v.boolean()),
  isLookedAt: v.exactOptional(v.boolean()),
  refreshHz: v.exactOptional(v.pipe(v.number(), v.minValue(0.1), v.maxValue(100))),
  drainMsMax: v.exactOptional(v.pipe(v.number(), v.minValue(0), v.maxValue(3_600_000))),
});
