// A live event as a peer sent it, read as far as this version can.

import type { Event } from '../../core/event.ts';
import { eventClass, isEventKind } from '../../core/event-kinds.ts';
import { decodeRecordBody, decodeRecordHead } from '../../wire/durable-record.ts';
import type { WireLive } from '../../wire/mesh-message.ts';
import { type LiveHead, liveHeadOf } from './live-table.ts';
import { receiptOf } from './receipt.ts';

export interface LiveRead {
  readonly head: LiveHead;
  readonly value: {
    readonly epoch: number;
    readonly seq: number;
    readonly body: Uint8Array;
    readonly proof: Uint8Array | undefined;
    readonly ageMs: number;
    readonly receivedAtMs: number;
  };
  /** Undefined if this version cannot read the payload. */
  readonly event: Event | undefined;
}

/** Undefined for what is not an event, and for a durable kind that arrives unsigned. */
export const readLive = (wire: WireLive, nowMs: number): LiveRead | undefined => {
  const receipt = receiptOf(wire.ageMs, nowMs);
  const decoded = decodeRecordBody(wire.body, receipt);
  const event = decoded.kind === 'event' ? { ...decoded.event, class: 'live' as const } : undefined;
  const at = event ?? decodeRecordHead(wire.body);
  if (at === undefined) return undefined;
  const head = event === undefined ? decodeRecordHead(wire.body) : liveHeadOf(event);
  if (head === undefined || (isEventKind(head.kind) && eventClass(head.kind) !== 'live')) return undefined;
  // A copy: a view would keep the whole frame in memory.
  const value = {
    epoch: at.epoch,
    seq: at.seq,
    body: wire.body.slice(),
    proof: wire.proof?.slice(),
    ...receipt,
  };
  return { head, value, event };
};
