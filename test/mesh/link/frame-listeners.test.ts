import { describe, expect, it } from 'vitest';
import { FrameListeners } from '../../../src/mesh/link/listeners.ts';

const frame = (number: number): Uint8Array => Uint8Array.of(number);

const listened = (): { readonly frames: FrameListeners; readonly failures: unknown[] } => {
  const failures: unknown[] = [];
  return { frames: new FrameListeners(error => failures.push(error)), failures };
};

describe('frames of a link', () => {
  it('that come before anybody listens wait for the first who does, in order', async () => {
    const { frames } = listened();
    const received: number[] = [];
    for (const number of [1, 2]) frames.emit(frame(number));
    expect(frames.waitingBytes).toBeGreaterThan(2);
    frames.add(([number = 0]) => received.push(number));
    frames.emit(frame(3));
    expect(received, 'the subscriber is in the middle of something').toEqual([]);
    await Promise.resolve();
    expect(received).toEqual([1, 2, 3]);
    frames.emit(frame(4));
    expect(received).toEqual([1, 2, 3, 4]);
    expect(frames.waitingBytes).toBe(0);
  });

  it('wait for everybody who subscribes in one go', async () => {
    const { frames } = listened();
    const received: string[] = [];
    frames.emit(frame(1));
    for (const name of ['replication', 'requests']) frames.add(() => received.push(name));
    await Promise.resolve();
    expect(received).toEqual(['replication', 'requests']);
  });

  it('that make a listener throw are reported to the link, early ones as well', async () => {
    const { frames, failures } = listened();
    frames.emit(frame(1));
    frames.add(([number]) => {
      throw new Error(`frame ${number}`);
    });
    await Promise.resolve();
    frames.emit(frame(2));
    expect(failures).toEqual([new Error('frame 1'), new Error('frame 2')]);
  });

  it('that are empty do not wait for nothing: their bytes are bounded', () => {
    const { frames } = listened();
    for (let count = 0; count < 1_000; count += 1) frames.emit(new Uint8Array(0));
    expect(frames.waitingBytes).toBeGreaterThan(10_000);
    frames.clear();
    expect(frames.waitingBytes).toBe(0);
  });
});
