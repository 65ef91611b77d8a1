// What a person may request to be measured, and the result: body and response of POST /api/probes. Nodes use
// the same messages between each other.

import * as v from 'valibot';
import type { NodeId } from '../../core/ids.ts';
import { probeSubjectSchema } from '../../core/probe/probe-status.ts';
import { type Infer, nodeIdSchema, text } from '../../core/schema.ts';

/**
 * Without deviceId all devices of the node, without connectionKey all connections of the link, in that
 * direction.
 */
export type ProbeTarget =
  | 'all'
  | { readonly kind: 'gpu'; readonly nodeId: NodeId; readonly deviceId?: string | undefined }
  | {
      readonly kind: 'link';
      readonly source: NodeId;
      readonly sink: NodeId;
      readonly connectionKey?: string | undefined;
    };

export const probeRequestSchema = v.object({
  subject: v.union([
    v.literal('all'),
    v.variant('kind', [
      v.object({ kind: v.literal('gpu'), nodeId: nodeIdSchema, deviceId: v.optional(text) }),
      v.object({
        kind: v.literal('link'),
        source: nodeIdSchema,
        sink: nodeIdSchema,
        connectionKey: v.optional(text),
      }),
    ]),
  ]),
});

const requested = {
  subject: probeSubjectSchema,
  result: v.picklist(['started', 'queued', 'refused']),
  reason: v.pipe(text, v.description('Why it waits or was refused; empty if it has started.')),
};

const requestedProbeSchema = v.object(requested);

export type RequestedProbe = Infer<typeof requestedProbeSchema>;

/** Limit per peer: it must fit into a frame. */
const REQUESTED_MAX = 1_024;

/** The reply of one node to another. */
export const requestedProbesSchema = v.object({
  probes: v.pipe(v.array(requestedProbeSchema), v.maxLength(REQUESTED_MAX)),
});

export const probesAnswerSchema = v.object({
  /** With the node that measures each. */
  probes: v.array(
    v.object({ node: v.pipe(nodeIdSchema, v.description('The measuring node.')), ...requested }),
  ),
  /** Nodes that could not be reached, with the reason. */
  unreached: v.array(v.object({ node: nodeIdSchema, reason: v.string() })),
});

export type ProbesAnswer = Infer<typeof probesAnswerSchema>;
