// Validates what a node reports about the traffic on its ports.

import * as v from 'valibot';
import type { NodeTraffic } from '../core/node/traffic.ts';
import { list, openObject, reported, text } from './schema.ts';

/** A counter of 64 bits may exceed the exact range of a double. */
const counter: v.GenericSchema<unknown, number> = v.pipe(v.number(), v.finite(), v.minValue(0));
const counts = openObject({
  bytes: counter,
  packets: reported(counter),
  errors: reported(counter),
  drops: reported(counter),
});
const rates = openObject({
  bytesPerSecond: counter,
  packetsPerSecond: reported(counter),
  errorsPerSecond: reported(counter),
  dropsPerSecond: reported(counter),
});

export const trafficSchema: v.GenericSchema<unknown, NodeTraffic> = openObject({
  ports: list(
    openObject({
      name: text,
      kind: v.picklist(['interface', 'rdma']),
      received: counts,
      sent: counts,
      rates: reported(openObject({ received: rates, sent: rates })),
    }),
  ),
});
