// Validates what a node reports about the traffic of its disks.

import * as v from 'valibot';
import type { NodeDiskTraffic } from '../core/node/disk-traffic.ts';
import { list, openObject, reported, share, text } from './schema.ts';

/** A counter of 64 bits may exceed the exact range of a double. */
const counter: v.GenericSchema<unknown, number> = v.pipe(v.number(), v.finite(), v.minValue(0));

export const diskTrafficSchema: v.GenericSchema<unknown, NodeDiskTraffic> = openObject({
  devices: list(
    openObject({
      name: text,
      readBytes: counter,
      writtenBytes: counter,
      reads: counter,
      writes: counter,
      busyMs: counter,
      rates: reported(
        openObject({
          readBytesPerSecond: counter,
          writtenBytesPerSecond: counter,
          readsPerSecond: counter,
          writesPerSecond: counter,
          busyShare: share,
        }),
      ),
    }),
  ),
});
