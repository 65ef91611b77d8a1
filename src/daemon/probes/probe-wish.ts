// What a person may ask to be measured, over HTTP and between nodes, and what comes of it.

import * as v from 'valibot';
import type { NodeId } from '../../core/ids.ts';
import type { ProbeSubject } from '../../core/probe/probe-status.ts';
import type { AskedProbe } from '../../probe/reconcile/reconciler.ts';
import type { JsonValue } from '../../wire/request-message.ts';
import { nodeIdSchema, text } from '../../wire/schema.ts';

export const PROBE_ASK_TOPIC = 'probe.ask';

/** Without deviceId all devices of the node, without connectionKey all connections of the link, that way. */
export type ProbeWish =
  | { readonly kind: 'all' }
  | { readonly kind: 'gpu'; readonly nodeId: NodeId; readonly deviceId?: string | undefined }
  | {
      readonly kind: 'link';
      readonly source: NodeId;
      readonly sink: NodeId;
      readonly connectionKey?: string | undefined;
    };

export interface WishedProbe extends AskedProbe {
  /** Who measures. */
  readonly node: NodeId;
}

export interface WishAnswer {
  readonly probes: readonly WishedProbe[];
  /** Nodes that could not be asked, and why. */
  readonly unreached: readonly { readonly node: NodeId; readonly reason: string }[];
}

export const isMeantBy = (wish: ProbeWish, subject: ProbeSubject): boolean => {
  switch (wish.kind) {
    case 'all':
      return true;
    case 'gpu':
      return subject.kind === 'gpu' && (wish.deviceId === undefined || wish.deviceId === subject.deviceId);
    case 'link':
      return (
        subject.kind === 'link' &&
        subject.sink === wish.sink &&
        (wish.connectionKey === undefined || wish.connectionKey === subject.connectionKey)
      );
    default:
      return wish satisfies never;
  }
};

const optionalText = v.optional(text);
const WISH: v.GenericSchema<unknown, ProbeWish> = v.variant('kind', [
  v.object({ kind: v.literal('all') }),
  v.object({ kind: v.literal('gpu'), nodeId: nodeIdSchema, deviceId: optionalText }),
  v.object({
    kind: v.literal('link'),
    source: nodeIdSchema,
    sink: nodeIdSchema,
    connectionKey: optionalText,
  }),
]);

/** `{"subject": "all" | {…}}`, as HTTP and peers write it. */
export const WISH_BODY: v.GenericSchema<unknown, { readonly subject: ProbeWish }> = v.object({
  subject: v.union([
    v.pipe(
      v.literal('all'),
      v.transform((): ProbeWish => ({ kind: 'all' })),
    ),
    WISH,
  ]),
});

const ASKED_MAX = 1_024;
const ASKED: v.GenericSchema<unknown, { readonly probes: readonly AskedProbe[] }> = v.object({
  probes: v.pipe(
    v.array(
      v.object({
        subject: v.variant('kind', [
          v.object({ kind: v.literal('gpu'), deviceId: text }),
          v.object({ kind: v.literal('link'), sink: nodeIdSchema, connectionKey: text }),
        ]),
        result: v.picklist(['started', 'queued', 'refused']),
        reason: text,
      }),
    ),
    v.maxLength(ASKED_MAX),
  ),
});

export const decodeWish = (body: JsonValue): ProbeWish | undefined => {
  const result = v.safeParse(WISH_BODY, body);
  return result.success ? result.output.subject : undefined;
};

export const decodeAsked = (body: JsonValue): readonly AskedProbe[] | undefined => {
  const result = v.safeParse(ASKED, body);
  return result.success ? result.output.probes : undefined;
};
