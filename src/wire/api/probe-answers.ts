// What a person may request to be measured, and the result: body and response of POST /api/probes. Nodes use
// the same messages between each other.

import * as v from 'valibot';
import type { NodeId } from '../../core/ids.ts';
import type { ProbeSubject } from '../../core/probe/probe-status.ts';
import { probeSubjectSchema } from '../probe-schema.ts';
import { nodeIdSchema, text } from '../schema.ts';

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

export interface ProbeRequest {
  readonly subject: ProbeTarget;
}

export const probeRequestSchema: v.GenericSchema<unknown, ProbeRequest> = v.object({
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

export interface RequestedProbe {
  readonly subject: ProbeSubject;
  readonly result: 'started' | 'queued' | 'refused';
  /** Why it waits or was refused; '' if it has started. */
  readonly reason: string;
}

const requested = {
  subject: probeSubjectSchema,
  result: v.picklist(['started', 'queued', 'refused']),
  reason: v.pipe(text, v.description('Why it waits or was refused; empty if it has started.')),
};

/** Limit per peer: it must fit into a frame. */
const REQUESTED_MAX = 1_024;

/** The reply of one node to another. */
export const requestedProbesSchema: v.GenericSchema<unknown, { readonly probes: readonly RequestedProbe[] }> =
  v.object({ probes: v.pipe(v.array(v.object(requested)), v.maxLength(REQUESTED_MAX)) });

export interface ProbesAnswer {
  /** With the node that measures each. */
  readonly probes: readonly (RequestedProbe & { readonly node: NodeId })[];
  /** Nodes that could not be reached, with the reason. */
  readonly unreached: readonly { readonly node: NodeId; readonly reason: string }[];
}

export const probesAnswerSchema: v.GenericSchema<unknown, ProbesAnswer> = v.object({
  probes: v.array(
    v.object({ node: v.pipe(nodeIdSchema, v.description('The measuring node.')), ...requested }),
  ),
  unreached: v.array(v.object({ node: nodeIdSchema, reason: v.string() })),
});
