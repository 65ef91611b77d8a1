// A direct channel between each load thread of a run of sessions and the parse thread that reads its replies: a turn
// waits for earlier answers, and the main thread should not be in that path.

import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { LoadPlan } from '../load/load-plan.ts';
import type { TurnPort } from '../parse/parse-message.ts';

export class TurnPorts {
  readonly #plan: Pick<LoadPlan, 'sessions'>;
  readonly #channels: Map<number, MessageChannel> = new Map();

  constructor(plan: Pick<LoadPlan, 'sessions'>) {
    this.#plan = plan;
  }

  /** Empty without sessions. */
  ofLoad(thread: number): MessagePort[] {
    return this.#plan.sessions === undefined ? [] : [this.#channel(thread).port1];
  }

  ofParse(rings: readonly { readonly thread: number }[]): readonly TurnPort[] {
    if (this.#plan.sessions === undefined) return [];
    return rings.map(({ thread }) => ({ thread, port: this.#channel(thread).port2 }));
  }

  #channel(thread: number): MessageChannel {
    const known = this.#channels.get(thread) ?? new MessageChannel();
    this.#channels.set(thread, known);
    return known;
  }
}
