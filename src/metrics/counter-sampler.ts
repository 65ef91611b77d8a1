// A named number of a run: a count, or a figure that is set. Part of every snapshot, also while it is 0.

import type { CounterMetric } from '../core/run/snapshot.ts';

export class CounterSampler {
  readonly name: string;
  #value = 0;

  constructor(name: string) {
    this.name = name;
  }

  get value(): number {
    return this.#value;
  }

  add(amount: number = 1): void {
    this.#value += amount;
  }

  set(value: number): void {
    this.#value = value;
  }

  metric(): CounterMetric {
    return { kind: 'counter', name: this.name, value: this.#value };
  }
}
