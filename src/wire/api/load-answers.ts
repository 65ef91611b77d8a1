// What is to be kept busy together, and what it reached: body and response of POST /api/loads. Nodes use the same messages between
// each other.

import * as v from 'valibot';
import { LOAD_MS_MAX, loadSchema, togetherSchema } from '../../core/probe/load.ts';
import { probeSubjectSchema } from '../../core/probe/probe-status.ts';
import { type Infer, nodeIdSchema, text } from '../../core/schema.ts';

/** Of one node: its devices, and the ports of its cables. */
const SUBJECTS_MAX = 64;
const NODES_MAX = 64;

const common = {
  together: togetherSchema,
  durationMs: v.pipe(v.number(), v.safeInteger(), v.minValue(1_000), v.maxValue(LOAD_MS_MAX)),
};
const subjects = v.pipe(v.array(probeSubjectSchema), v.minLength(1), v.maxLength(SUBJECTS_MAX));

/** The request of one node to another. */
export const ownLoadsSchema = v.object({ ...common, subjects });

export type OwnLoads = Infer<typeof ownLoadsSchema>;

export const loadsRequestSchema = v.object({
  ...common,
  nodes: v.pipe(v.array(v.object({ node: nodeIdSchema, subjects })), v.minLength(1), v.maxLength(NODES_MAX)),
});

export type LoadsRequest = Infer<typeof loadsRequestSchema>;

/** The reply of one node to another. */
export const ownLoadsAnswerSchema = v.object({
  loads: v.pipe(v.array(loadSchema), v.maxLength(SUBJECTS_MAX)),
});

export const loadsAnswerSchema = v.object({
  nodes: v.array(v.object({ node: nodeIdSchema, loads: v.array(loadSchema) })),
  /** Nodes that could not be reached, or refused, with the reason. */
  unreached: v.array(v.object({ node: nodeIdSchema, reason: text })),
});

export type LoadsAnswer = Infer<typeof loadsAnswerSchema>;
