// The connections that a load thread opens before it sends: not all at once, because a server's queue of new connections is short.

import type { Sentences } from '../../core/problem.ts';
import type { OpenedConnections } from './load-plan.ts';

export class ConnectionOpening {
  readonly #count: number;
  readonly #openOne: () => void;
  readonly #ended = Promise.withResolvers<OpenedConnections>();
  readonly ended: Promise<OpenedConnections> = this.#ended.promise;
  #begun = 0;
  #opened = 0;
  #failed = 0;
  #problem: Sentences | undefined;

  constructor(count: number, openOne: () => void) {
    this.#count = count;
    this.#openOne = openOne;
  }

  start(): void {
    for (let at = 0; at < Math.min(this.#count, OPENING_MAX); at += 1) this.#next();
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
    if (this.#begun === this.#count) return;
    this.#begun += 1;
    this.#openOne();
  }

  #check(): void {
    if (this.#opened + this.#failed < this.#count) return;
    this.#ended.resolve({ opened: this.#opened, failed: this.#failed, problem: this.#problem });
  }
}

/** Connections that are being set up at a time. */
const OPENING_MAX = 32;
