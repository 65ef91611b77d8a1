// The requests to the child processes of an RDMA probe, as JSON; the ticket is passed in the environment, where no
// other user of the machine sees it.

import * as v from 'valibot';
import type { Infer } from '../../core/schema.ts';
import { SOURCE_ADDRESSES_MAX } from '../socket/process-arguments.ts';

const PORT = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535));
const COUNT = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** A kernel name; never something that a tool could parse as an option. */
const DEVICE = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}$/));

const END = {
  engines: v.pipe(v.array(v.picklist(['perftest', 'ucx', 'mlx-jaccl'])), v.maxLength(8)),
  device: DEVICE,
  devicePort: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(255)),
  transport: v.picklist(['rdma', 'tcp']),
  otherDevice: DEVICE,
  durationMsMax: COUNT,
  toolMsMax: COUNT,
};

export const rdmaSinkRequestSchema = v.object({
  ...END,
  host: v.string(),
  sourceAddresses: v.pipe(v.array(v.string()), v.maxLength(SOURCE_ADDRESSES_MAX)),
  port: PORT,
  waitMsMax: COUNT,
});

export type RdmaSinkRequest = Infer<typeof rdmaSinkRequestSchema>;

export const rdmaSourceRequestSchema = v.object({
  ...END,
  address: v.string(),
  port: PORT,
  budget: v.object({ bytesMax: COUNT, durationMsMax: COUNT, measuresExtras: v.boolean() }),
});

export type RdmaSourceRequest = Infer<typeof rdmaSourceRequestSchema>;
