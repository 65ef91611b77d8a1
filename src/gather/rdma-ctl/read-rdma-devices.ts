// RDMA devices of a Mac. `ibv_devinfo` tells most; where it fails while `ibv_devices` lists devices, these are told
// without ports. Both fail, or list nothing, on a Mac with RDMA off.

import type { RdmaDevice } from '../../core/node/rdma-devices.ts';
import { unknown } from '../../core/unknown.ts';
import { type IbvDevice, parseIbvDevices } from '../ibverbs/parse-ibv-devices.ts';
import { parseIbvDevinfo } from '../ibverbs/parse-ibv-devinfo.ts';
import { type Parsed, parsed } from '../parsed.ts';
import { type ToolContext, toolText } from '../tool-text.ts';

export const readRdmaDevices = async (context: ToolContext): Promise<Parsed<readonly RdmaDevice[]>> => {
  const devinfo = await toolText('ibv_devinfo', [], context);
  const told = devinfo.kind === 'parsed' ? parseIbvDevinfo(devinfo.value).map(withInterface) : [];
  if (told.length > 0) return parsed(told);
  const listed = await toolText('ibv_devices', [], context);
  if (listed.kind === 'unreadable') return listed;
  const named = parseIbvDevices(listed.value);
  if (named.length === 0 && devinfo.kind === 'unreadable') return devinfo;
  const reason = devinfo.kind === 'unreadable' ? devinfo.reason : 'ibv_devinfo lists no device';
  return parsed(named.map(device => withoutPorts(device, reason)));
};

/** macOS names the RDMA device of en2 rdma_en2. */
const withInterface = (device: RdmaDevice): RdmaDevice => {
  const interfaceName = /^rdma_(\S+)$/.exec(device.name)?.[1];
  if (interfaceName === undefined) return device;
  return { ...device, ports: device.ports.map(port => ({ ...port, interfaceName })) };
};

const withoutPorts = ({ name, nodeGuid }: IbvDevice, reason: string): RdmaDevice => ({
  name,
  nodeGuid,
  systemImageGuid: unknown(reason),
  firmware: unknown(reason),
  ports: [],
});
