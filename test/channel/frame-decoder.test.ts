import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameDecoder, frameHead } from '../../src/channel/frame-decoder.ts';

const decoded = (chunks: readonly Uint8Array[], payloadBytesMax = 1_000) => {
  const decoder = new FrameDecoder(payloadBytesMax);
  const frames: { type: number; payload: number[] }[] = [];
  for (const chunk of chunks) {
    decoder.push(chunk);
    for (let frame = decoder.next(); frame !== undefined; frame = decoder.next()) {
      if (frame.kind === 'malformed') return { frames, malformed: frame.detail };
      frames.push({ type: frame.type, payload: [...frame.payload] });
    }
  }
  return { frames, malformed: undefined };
};

test('frames come out whole, however the bytes are cut', () => {
  const frame = fc.record({ type: fc.nat(255), payload: fc.uint8Array({ maxLength: 50 }) });
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 40 })),
      (frames, cuts) => {
        const bytes = Buffer.concat(
          frames.flatMap(({ type, payload }) => [frameHead(type, payload.length), payload]),
        );
        const chunks: Uint8Array[] = [];
        let at = 0;
        for (const cut of [...cuts, bytes.length]) {
          chunks.push(bytes.subarray(at, at + cut));
          at += cut;
        }
        expect(decoded(chunks)).toEqual({
          frames: frames.map(({ type, payload }) => ({ type, payload: [...payload] })),
          malformed: undefined,
        });
      },
    ),
  );
});

test('noise never throws, and a frame is never longer than allowed', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), chunks => {
      for (const { payload } of decoded(chunks, 64).frames) expect(payload.length).toBeLessThanOrEqual(64);
    }),
  );
});

test('an empty frame and one that is too long are malformed before their bytes come', () => {
  expect(decoded([Buffer.alloc(4)]).malformed).toBe('a frame of 0 bytes');
  expect(decoded([frameHead(0, 1_000)]).malformed).toBeUndefined();
  expect(decoded([frameHead(0, 1_001)]).malformed).toBe('a frame of 1002 bytes');
});

test('a frame keeps its bytes when the chunk it came in is used again', () => {
  const decoder = new FrameDecoder(10);
  const chunk = Buffer.concat([frameHead(3, 2), Buffer.from([7, 8])]);
  decoder.push(chunk);
  const frame = decoder.next();
  chunk.fill(0);
  expect(frame).toEqual({ kind: 'frame', type: 3, payload: Uint8Array.from([7, 8]) });
});
