// The requests to the child processes of an RDMA probe, as JSON; the ticket is passed in the environment, where no
// other user of the machine sees it.

import * as v from 'valibot';
import type { ProbeBudget } from '../link-engine.ts';
import { SOURCE_ADDRESSES_MAX } from '../socket/process-arguments.ts';
import type { RdmaEngineName } from './rdma-tool.ts';

interface RdmaEndRequest {
  /** In order of preference; those not installed are left out. */
  readonly engines: readonly RdmaEngineName[];
  readonly device: string;
  readonly devicePort: number;
  readonly transport: 'rdma' | 'tcp';
  readonly otherDevice: string;
  readonly durationMsMax: number;
  readonly toolMsMax: number;
}

export interface RdmaSinkRequest extends RdmaEndRequest {
  readonly host: string;
  readonly sourceAddresses: readonly string[];
  readonly port: number;
  readonly waitMsMax: number;
}

export interface RdmaSourceRequest extends RdmaEndRequest {
  readonly address: string;
  readonly port: number;
  readonly budget: ProbeBudget;
}

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

export const rdmaSinkRequestSchema: v.GenericSchema<unknown, RdmaSinkRequest> = v.object({
  ...END,
  host: v.string(),
  sourceAddresses: v.pipe(v.array(v.string()), v.maxLength(SOURCE_ADDRESSES_MAX)),
  port: PORT,
  waitMsMax: COUNT,
});

export const rdmaSourceRequestSchema: v.GenericSchema<unknown, RdmaSourceRequest> = v.object({
  ...END,
  address: v.string(),
  port: PORT,
  budget: v.object({ bytesMax: COUNT, durationMsMax: COUNT, measuresExtras: v.boolean() }),
});
