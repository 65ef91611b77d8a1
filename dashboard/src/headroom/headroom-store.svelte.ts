// Where the page's questions are calculated: one at a time, the newest that waits next. What has not changed is not asked again.

import { type Headroom, headroom } from '../../../src/core/model/headroom.ts';
import type { HeadroomInput } from './placement.ts';

interface HeadroomAnswer {
  readonly input: HeadroomInput;
  readonly headroom: Headroom;
}

export class HeadroomStore {
  /** The newest; of an earlier question until the next is there. */
  answer: HeadroomAnswer | undefined = $state.raw(undefined);
  #worker: Worker | undefined;
  #working: HeadroomInput | undefined;
  #waiting: HeadroomInput | undefined;
  #requested = '';

  /** Returns what ends it. */
  start(): () => void {
    const worker = new Worker(new URL('./headroom-worker.ts', import.meta.url), {
      type: 'module',
      name: 'plimsoll-headroom',
    });
    worker.addEventListener('message', ({ data }: MessageEvent<Headroom>) => this.#done(data));
    // Its script did not load: a new version was installed behind this page, or the daemon had just gone.
    worker.addEventListener('error', () => {
      this.#worker = undefined;
      if (this.#working !== undefined) this.#done(calculated(this.#working));
    });
    this.#worker = worker;
    return () => {
      this.#worker = undefined;
      worker.terminate();
    };
  }

  request(input: HeadroomInput): void {
    const requested = JSON.stringify(input);
    if (requested === this.#requested) return;
    this.#requested = requested;
    if (this.#working === undefined) this.#begin(input);
    else this.#waiting = input;
  }

  #begin(input: HeadroomInput): void {
    this.#working = input;
    if (this.#worker === undefined) this.#done(calculated(input));
    else this.#worker.postMessage(input);
  }

  #done(answer: Headroom): void {
    if (this.#working !== undefined) this.answer = { input: this.#working, headroom: answer };
    this.#working = undefined;
    const next = this.#waiting;
    this.#waiting = undefined;
    if (next !== undefined) this.#begin(next);
  }
}

const calculated = ({ model, devices, question, links }: HeadroomInput): Headroom =>
  headroom(model, devices, question, links);
