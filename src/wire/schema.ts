// The building blocks of all wire schemas, each with its bound.

import * as v from 'valibot';
import type { NodeId, RunId } from '../core/ids.ts';
import { isNodeId, isRunId } from '../core/ids.ts';
import type { Unknown } from '../core/unknown.ts';

export const TEXT_LENGTH_MAX = 1_024;
export const LIST_LENGTH_MAX = 1_024;

export const text: v.GenericSchema<unknown, string> = v.pipe(v.string(), v.maxLength(TEXT_LENGTH_MAX));
export const figure: v.GenericSchema<unknown, number> = v.pipe(v.number(), v.finite());
/** Bytes: whole, not negative, exact in a double. */
export const bytes: v.GenericSchema<unknown, number> = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const count: v.GenericSchema<unknown, number> = bytes;
/** 0..1 */
export const share: v.GenericSchema<unknown, number> = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
/** Ms, from a millisecond to a day. */
export const interval: v.GenericSchema<unknown, number> = v.pipe(
  v.number(),
  v.minValue(1),
  v.maxValue(86_400_000),
);

export const nodeIdSchema: v.GenericSchema<unknown, NodeId> = v.custom<NodeId>(isNodeId, 'not a node id');
export const runIdSchema: v.GenericSchema<unknown, RunId> = v.custom<RunId>(isRunId, 'not a run id');

export const unknownSchema: v.GenericSchema<unknown, Unknown> = v.object({
  kind: v.literal('unknown'),
  reason: text,
});

export const reported = <T>(schema: v.GenericSchema<unknown, T>): v.GenericSchema<unknown, T | Unknown> =>
  v.union([unknownSchema, schema]);

export const list = <T>(schema: v.GenericSchema<unknown, T>): v.GenericSchema<unknown, T[]> =>
  v.pipe(v.array(schema), v.maxLength(LIST_LENGTH_MAX));
