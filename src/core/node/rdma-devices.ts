// RDMA devices and the state of their ports. A name is no proof: a device works only when a port is active.

import * as v from 'valibot';
import { count, figure, type Infer, list, openObject, reported, text } from '../schema.ts';

const rdmaPortSchema = openObject({
  number: count,
  state: reported(v.picklist(['active', 'armed', 'initializing', 'down'])),
  physicalState: reported(text),
  /** Decides between InfiniBand and RoCE; the transport is "InfiniBand" for both. */
  linkLayer: reported(v.picklist(['infiniband', 'ethernet', 'thunderbolt'])),
  rateBitsPerSecond: reported(figure),
  activeMtuBytes: reported(count),
  /** The network interface on the same port, if one has an IP stack. */
  interfaceName: reported(text),
  /** Subnet prefix of GID 0 on InfiniBand: ports of one fabric share it. */
  subnetPrefix: reported(text),
});

export type RdmaPort = Infer<typeof rdmaPortSchema>;

const rdmaDeviceSchema = openObject({
  name: text,
  /** Sixteen lower-case hex digits without colons. */
  nodeGuid: reported(text),
  /** Equal on the halves of one physical port (GB10). */
  systemImageGuid: reported(text),
  firmware: reported(text),
  ports: list(rdmaPortSchema),
});

export type RdmaDevice = Infer<typeof rdmaDeviceSchema>;

export const nodeRdmaDevicesSchema = openObject({
  /** macOS `rdma_ctl`; on Linux true when the kernel offers RDMA devices at all. */
  isEnabled: reported(v.boolean()),
  devices: list(rdmaDeviceSchema),
});

export type NodeRdmaDevices = Infer<typeof nodeRdmaDevicesSchema>;
