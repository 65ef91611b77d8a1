// How much each publisher of a fleet may have this node read: opening a message costs time, and one whose
// credentials were stolen can send as fast as its network carries. Messages above the rate are dropped before
// they are opened; readings are repeated, records requested again.

import type { Clock } from '../../clock/clock.ts';
import { AddressBuckets } from '../../clock/token-bucket.ts';
import type { NodeId } from '../../core/ids.ts';
import { FLEET_MEMBERS_MAX } from './fleet-members.ts';

export class PublisherRates {
  readonly #messages: AddressBuckets;
  readonly #bytes: AddressBuckets;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#messages = new AddressBuckets(clock, MESSAGE_RATE, FLEET_MEMBERS_MAX);
    this.#bytes = new AddressBuckets(clock, BYTE_RATE, FLEET_MEMBERS_MAX);
  }

  take(publisher: NodeId, bytes: number): boolean {
    return this.#messages.of(publisher).take() && this.#bytes.of(publisher).take(bytes);
  }
}

/** A node sends ten readings a second at most, and answers 64 requests for records. */
const MESSAGE_RATE = { burst: 4_096, perSecond: 512 };
const BYTE_RATE = { burst: 67_108_864, perSecond: 16_777_216 };
