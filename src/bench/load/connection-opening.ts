// The connections that a load thread opens before it sends: a few at a time, because a server's queue of new
// connections is short.

import type { Sentences } from '../../core/problem.ts';
import type { OpenedConnections } from './load-plan.ts';

export class ConnectionOpening {
  readonly #targets: readonly number[];
  readonly #openOne: (target: number) => void;
  readonly #ended = Promise.withResolvers<OpenedConnections>();
  readonly ended: Promise<OpenedConnections> = this.#ended.promise;
  #begun = 0;
  #opened = 0;
  #failed = 0;
  #problem: Sentences | undefined;

  /** @param targets for each connection, the index of its target */
  constructor(targets: readonly number[], openOne: (target: number) => void) {
    this.#targets = targets;
    this.#openOne = openOne;
  }

  start(): void {
    for (let at = 0; at < Math.min(this.#targets.length, OPENING_MAX); at += 1) this.#next();
    this.#check();
  }

  opened(): void {
    this.#opened += 1;
    this.#next();
    this.#check();
  }

  failed(problem: Sentences): void {
    this.#failed += 1;
    this.#problem ??= problem;
    this.#next();
    this.#check();
  }

  #next(): void {
    const target = this.#targets[this.#begun];
    if (target === undefined) return;
    this.#begun += 1;
    this.#openOne(target);
  }

  #check(): void {
    if (this.#opened + this.#failed < this.#targets.length) return;
    this.#ended.resolve({ opened: this.#opened, failed: this.#failed, problem: this.#problem });
  }
}

/** Connections that are being set up at a time. */
const OPENING_MAX = 32;
