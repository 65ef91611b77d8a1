import { expect, test } from 'vitest';
import { type NodeId, nodeId } from '../../../src/core/ids.ts';
import { BufferedFrames } from '../../../src/mesh/nats/buffered-frames.ts';

const [A, B] = [nodeId('a'.repeat(26)), nodeId('b'.repeat(26))];

test('of what the server holds, the beginnings of all origins come before the end of one', () => {
  const { buffered, taken } = frames();
  buffered.pause();
  buffered.follow(A, { frames: series('a1', 'a2', 'a3'), from: A });
  buffered.follow(B, { frames: series('b1', 'b2'), from: B });
  buffered.put(bytes('reading'), A, 'memory');
  buffered.resume();
  expect(taken).toEqual(['reading', 'a1', 'b1', 'a2', 'b2', 'a3']);
});

test('frames of the server are made one at a time, and none while replication is busy', () => {
  const { buffered, taken } = frames(frame => frame === 'a1' && buffered.pause());
  const made: string[] = [];
  buffered.follow(A, {
    frames: series('a1', 'a2').map(frame => {
      made.push(text(frame));
      return frame;
    }),
    from: A,
  });
  buffered.flow();
  expect([taken, made]).toEqual([['a1'], ['a1']]);
  buffered.resume();
  expect(taken).toEqual(['a1', 'a2']);
});

test('an origin that is asked for again begins from the new place', () => {
  const { buffered, taken } = frames();
  buffered.pause();
  buffered.follow(A, { frames: series('a1', 'a2'), from: A });
  buffered.follow(A, { frames: series('a2'), from: A });
  buffered.resume();
  expect(taken).toEqual(['a2']);
});

test('what a frame asks for is given after it, however often, without going deeper', () => {
  const origins = Array.from({ length: 20_000 }, (_, index) => nodeId(`${'a'.repeat(21)}${words(index)}`));
  let requested = 0;
  const { buffered, taken } = frames(() => {
    const next = origins[requested];
    requested += 1;
    if (next === undefined) return;
    buffered.follow(next, { frames: series('one'), from: next });
    buffered.flow();
  });
  buffered.follow(A, { frames: series('first'), from: A });
  buffered.flow();
  expect(taken.length).toBe(20_001);
});

const frames = (onFrame: (frame: string, from: NodeId) => void = () => undefined) => {
  const taken: string[] = [];
  const buffered = new BufferedFrames(
    (frame, from) => {
      taken.push(text(frame));
      onFrame(text(frame), from);
    },
    () => {
      throw new Error('nothing is dropped here');
    },
  );
  return { buffered, taken };
};

const series = (...texts: readonly string[]) => texts.map(bytes).values();
/** Five letters of a node's id. */
const words = (index: number): string =>
  [12, 9, 6, 3, 0].map(shift => 'bcdefghi'[Math.floor(index / 2 ** shift) % 8]).join('');

const bytes = (of: string): Uint8Array => new TextEncoder().encode(of);
const text = (frame: Uint8Array): string => new TextDecoder().decode(frame);
