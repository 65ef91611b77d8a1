// What every pipe of frames must do, over any transport.

import { describe, expect, it } from 'vitest';
import type { FramePipe, PipeEvents } from '../../src/channel/frame-pipe.ts';

/** Records what arrives at one end. */
export class PipeRecord implements PipeEvents {
  readonly frames: { readonly kind: number; readonly payload: Uint8Array }[] = [];
  readonly ends: string[] = [];
  drains = 0;
  #changed: PromiseWithResolvers<void> = Promise.withResolvers();

  frame(kind: number, payload: Uint8Array): void {
    this.frames.push({ kind, payload });
    this.#change();
  }

  received(): void {
    this.#change();
  }

  drained(): void {
    this.drains += 1;
    this.#change();
  }

  malformed(detail: string): void {
    this.ends.push(`malformed: ${detail}`);
    this.#change();
  }

  closed(): void {
    this.ends.push('closed');
    this.#change();
  }

  async until(isReached: () => boolean): Promise<void> {
    while (!isReached()) await this.#changed.promise;
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** Frames of at most this size pass. */
export const CONTRACT_PAYLOAD_BYTES_MAX = 4_194_304;

export const framePipeContract = (
  name: string,
  open: () => Promise<readonly [FramePipe, FramePipe] & AsyncDisposable>,
): void => {
  describe(`a pipe of frames ${name}`, () => {
    it('carries frames both ways, whole, in order and of any size', async () => {
      await using pipes = await open();
      const [one, other] = pipes;
      const [near, far] = [new PipeRecord(), new PipeRecord()];
      one.listen(near);
      other.listen(far);
      const sizes = [0, 1, 16_383, 16_384, 16_385, 200_000, CONTRACT_PAYLOAD_BYTES_MAX];
      for (const [kind, size] of sizes.entries()) one.write(kind, new Uint8Array(size).fill(kind));
      other.write(255, Uint8Array.of(7));
      await far.until(() => far.frames.length === sizes.length);
      expect(far.frames.map(({ kind, payload }) => [kind, payload.length])).toEqual([...sizes.entries()]);
      expect(far.frames.every(({ kind, payload }) => payload.every(byte => byte === kind))).toBe(true);
      await near.until(() => near.frames.length === 1);
      expect(near.frames).toEqual([{ kind: 255, payload: Uint8Array.of(7) }]);
    });

    it('keeps what arrives until there is a listener', async () => {
      await using pipes = await open();
      const [one, other] = pipes;
      const [near, far] = [new PipeRecord(), new PipeRecord()];
      one.listen(near);
      one.write(1, Uint8Array.of(1));
      other.write(2, Uint8Array.of(2));
      await near.until(() => near.frames.length === 1);
      other.listen(far);
      await far.until(() => far.frames.length === 1);
      expect(far.frames[0]?.kind).toBe(1);
    });

    it('counts what a paused reader leaves, and reports when it has left', async () => {
      await using pipes = await open();
      const [one, other] = pipes;
      const [near, far] = [new PipeRecord(), new PipeRecord()];
      one.listen(near);
      other.listen(far);
      other.pause();
      // More than the system's buffers of a connection take.
      const count = 16;
      for (let index = 0; index < count; index += 1) one.write(0, new Uint8Array(CONTRACT_PAYLOAD_BYTES_MAX));
      expect(one.queuedBytes).toBeGreaterThan(CONTRACT_PAYLOAD_BYTES_MAX);
      other.resume();
      await far.until(() => far.frames.length === count);
      await near.until(() => near.drains > 0);
      expect(one.queuedBytes).toBe(0);
    });

    it('delivers what was written before its end, and nothing after it', async () => {
      await using pipes = await open();
      const [one, other] = pipes;
      const [near, far] = [new PipeRecord(), new PipeRecord()];
      one.listen(near);
      other.listen(far);
      one.write(1, new Uint8Array(100_000));
      one.end();
      one.write(2, Uint8Array.of(2));
      await far.until(() => far.ends.length > 0);
      await near.until(() => near.ends.length > 0);
      expect(far.frames.map(({ kind }) => kind)).toEqual([1]);
      expect([...near.ends, ...far.ends]).toEqual(['closed', 'closed']);
    });

    it('reports the end once, and to a listener that comes after it', async () => {
      await using pipes = await open();
      const [one, other] = pipes;
      const [near, far, late] = [new PipeRecord(), new PipeRecord(), new PipeRecord()];
      one.listen(near);
      other.listen(far);
      one.destroy();
      one.destroy();
      await near.until(() => near.ends.length > 0);
      await far.until(() => far.ends.length > 0);
      one.listen(late);
      await late.until(() => late.ends.length > 0);
      other.write(0, Uint8Array.of(1));
      expect([...near.ends, ...far.ends, ...late.ends]).toEqual(['closed', 'closed', 'closed']);
    });
  });
};
