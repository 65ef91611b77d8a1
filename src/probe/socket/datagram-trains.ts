// Trains of datagrams from the source to the sink and back, and what arrived of each.

import { type Clock, pause } from '../../clock/clock.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { ToSink, ToSource } from './control-message.ts';
import type { DatagramEnd, ReceivedTrain, Train } from './datagram-end.ts';
import { ProbeError } from './probe-error.ts';
import type { ProbeDirection } from './rate-estimate.ts';

export interface SentTrain {
  /** By the sender's kernel. */
  readonly sent: number;
  readonly received: ReceivedTrain;
  /** Whether the sender's packets are never divided; unknown: they may be. */
  readonly isWhole: Reported<true>;
}

type Request = <K extends ToSource['kind']>(
  message: ToSink,
  kind: K,
) => Promise<Extract<ToSource, { kind: K }>>;

interface TrainParts {
  readonly end: DatagramEnd;
  /** Of the sink. */
  readonly port: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export class Trains {
  readonly #parts: TrainParts;
  readonly #request: Request;
  #count = 0;

  constructor(parts: TrainParts, request: Request) {
    this.#parts = parts;
    this.#request = request;
  }

  nowMs(): number {
    return this.#parts.clock.nowMs();
  }

  /** @param settleMs until the last one has arrived, or will not. @throws ProbeError */
  async run(direction: ProbeDirection, plan: Omit<Train, 'train'>, settleMs: number): Promise<SentTrain> {
    const { end, port, clock, signal } = this.#parts;
    this.#count += 1;
    const train = this.#count;
    if (direction === 'upload') {
      const sent = await end.send({ ...plan, train }, port, signal);
      await pause(clock, settleMs, signal);
      const received = await this.#request({ kind: 'count-train', train }, 'train-counted');
      const { count, reordered, numbers } = received;
      if (count > plan.count || reordered > count || numbers.some(number => number >= plan.count))
        throw new ProbeError('protocol', 'the other end claims to have received more than was sent');
      return { sent, received, isWhole: end.isWhole };
    }
    const { sent, isWhole } = await this.#request({ kind: 'send-train', ...plan, train }, 'train-sent');
    if (sent > plan.count)
      throw new ProbeError('protocol', 'the other end claims to have sent more than was requested');
    await pause(clock, settleMs, signal);
    return {
      sent,
      received: await end.received(train),
      isWhole: isWhole === '' ? true : unknown(`the other end: ${isWhole}`),
    };
  }
}
