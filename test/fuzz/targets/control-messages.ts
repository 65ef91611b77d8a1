// What the kernel returns next to bytes and events of sockets, with damage that no kernel makes: nothing is read past the
// end, and every figure stays in its range.

import { NO_STAMP, PolledEvents, readControl } from '../../../src/native/kernel-layout.ts';
import { type FuzzTarget, firstByteChooses } from '../fuzz-target.ts';

const control = (level: number, type: number, size: number): Uint8Array => {
  const bytes = Buffer.alloc(size);
  bytes.writeUInt32LE(size, 0);
  bytes.writeInt32LE(level, 8);
  bytes.writeInt32LE(type, 12);
  bytes.writeUInt32LE(1_795_000_000, 16);
  bytes.writeUInt8(4, 20);
  return bytes;
};

export const target: FuzzTarget = {
  name: 'control-messages',
  covers: ['src/native/kernel-layout.ts'],
  ...firstByteChooses([
    {
      seeds: [
        control(1, 37, 64),
        Buffer.concat([control(1, 37, 64), control(0, 11, 48)]),
        control(41, 25, 60),
      ],
      run: input => {
        const into = { stampNs: 0, byteIndex: 0 };
        readControl(Buffer.from(input), input.length, 1_795_000_000, into);
        if (!Number.isInteger(into.stampNs)) throw new Error(`a timestamp of ${into.stampNs}`);
        if (into.byteIndex < NO_STAMP || into.byteIndex >= 2 ** 32)
          throw new Error(`a byte index of ${into.byteIndex}`);
        return into;
      },
    },
    {
      seeds: [Buffer.alloc(36, 1)],
      run: input => {
        const events = new PolledEvents('x64', 4);
        events.bytes.set(input.subarray(0, events.bytes.length));
        return Array.from({ length: 4 }, (_, at) => [events.eventsAt(at), events.idAt(at)]);
      },
    },
  ]),
};
