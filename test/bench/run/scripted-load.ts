// A load that a test controls: when it opens, warms up, issues and ends.

import type { LoadGenerator, LoadResult } from '../../../src/bench/threads/load-generator.ts';

export class ScriptedLoad implements LoadGenerator {
  readonly #warm = Promise.withResolvers<void>();
  readonly #issuing = Promise.withResolvers<number>();
  readonly #ended = Promise.withResolvers<LoadResult>();
  readonly calls: string[] = [];
  counts = { issued: 0, warmup: 0, ended: 0 };
  /** Whether a stop ends it, as it should. */
  respondsToStop = true;

  readonly issuingEnded: Promise<number> = this.#issuing.promise;
  readonly ended: Promise<LoadResult> = this.#ended.promise;

  async open(): Promise<{ opened: number; failed: number; problem: undefined }> {
    return { opened: 1, failed: 0, problem: undefined };
  }

  warmUp(): Promise<void> {
    this.calls.push('warm up');
    return this.#warm.promise;
  }

  start(atNs?: number): number {
    this.calls.push(atNs === undefined ? 'start' : `start at ${atNs}`);
    return atNs ?? 1_000;
  }

  endIssuing(): void {
    this.calls.push('end issuing');
  }

  cutOff(): void {
    this.calls.push('cut off');
    this.end('complete', 9_000);
  }

  reportEvery(ms: number): void {
    this.calls.push(`report every ${ms}`);
  }

  stop(): void {
    this.calls.push('stop');
    if (!this.respondsToStop) return;
    this.#warm.resolve();
    this.#issuing.resolve(5_000);
    this.end('stopped', 5_000);
  }

  warmedUp(): void {
    this.#warm.resolve();
  }

  issuedAll(atNs: number): void {
    this.#issuing.resolve(atNs);
  }

  end(kind: LoadResult['kind'], atNs: number, reasons: readonly string[] = []): void {
    this.#ended.resolve({ kind, reasons, atNs, droppedEvents: 0, arenaFullCount: 0 });
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
