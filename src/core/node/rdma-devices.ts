// RDMA devices and the state of their ports. A name is no proof: a device works only when a port is active.

import * as v from 'valibot';
import { count, figure, type Infer, list, openObject, reported, text } from '../schema.ts';
import type { Reported } from '../unknown.ts';

export const nodeRdmaDevicesSchema = openObject({
  /** macOS `rdma_ctl`; on Linux true when the kernel offers RDMA devices at all. */
  isEnabled: reported(v.boolean()),
  devices: list(
    openObject({
      name: text,
      nodeGuid: reported(text),
      systemImageGuid: reported(text),
      firmware: reported(text),
      ports: list(
        openObject({
          number: count,
          state: reported(v.picklist(['active', 'armed', 'initializing', 'down'])),
          physicalState: reported(text),
          linkLayer: reported(v.picklist(['infiniband', 'ethernet', 'thunderbolt'])),
          rateBitsPerSecond: reported(figure),
          activeMtuBytes: reported(count),
          interfaceName: reported(text),
          subnetPrefix: reported(text),
        }),
      ),
    }),
  ),
});

export type NodeRdmaDevices = Infer<typeof nodeRdmaDevicesSchema>;

export interface RdmaDevice {
  readonly name: string;
  /** Sixteen lower-case hex digits without colons. */
  readonly nodeGuid: Reported<string>;
  /** Equal on the halves of one physical port (GB10). */
  readonly systemImageGuid: Reported<string>;
  readonly firmware: Reported<string>;
  readonly ports: readonly RdmaPort[];
}

export interface RdmaPort {
  readonly number: number;
  readonly state: Reported<'active' | 'armed' | 'initializing' | 'down'>;
  readonly physicalState: Reported<string>;
  /** Decides between InfiniBand and RoCE; the transport is "InfiniBand" for both. */
  readonly linkLayer: Reported<'infiniband' | 'ethernet' | 'thunderbolt'>;
  readonly rateBitsPerSecond: Reported<number>;
  readonly activeMtuBytes: Reported<number>;
  /** The network interface on the same port, if one has an IP stack. */
  readonly interfaceName: Reported<string>;
  /** Subnet prefix of GID 0 on InfiniBand: ports of one fabric share it. */
  readonly subnetPrefix: Reported<string>;
}
