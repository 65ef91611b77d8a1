// RDMA over Thunderbolt on a Mac: whether it is switched on (`rdma_ctl`, macOS 26.2 and later) and the state of each
// device's port (`ibv_devinfo`). A port is active only when both ends of its cable have RDMA on.

import type { RdmaDevice } from '../../core/node/rdma-devices.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { IbvDevice } from '../ibverbs/parse-ibv-devices.ts';
import { parseIbvDevinfo } from '../ibverbs/parse-ibv-devinfo.ts';
import type { MacosOptions } from '../macos-options.ts';
import type { Parsed } from '../parsed.ts';
import { poll } from '../poll.ts';
import type { RememberedRead } from '../remembered-read.ts';
import { toolText } from '../tool-text.ts';
import { parseRdmaCtlStatus } from './parse-rdma-ctl.ts';

export const macosRdmaGatherer = (
  { env, intervals, timeouts }: MacosOptions,
  rdmaDevices: RememberedRead<readonly IbvDevice[]>,
): Gatherer => ({
  name: 'rdma-ctl',
  tells: [RDMA],
  intervalMs: intervals.rdmaMs,
  gather: session =>
    poll(session, intervals.rdmaMs, async signal => {
      const context = { env, signal, timeoutMs: timeouts.toolMs };
      const [status, devinfo, listed] = await Promise.all([
        toolText('rdma_ctl', ['status'], context),
        toolText('ibv_devinfo', [], context),
        rdmaDevices.get({ clock: session.clock, signal, ageMsMax: intervals.rdmaMs / 2 }),
      ]);
      const isEnabled = status.kind === 'parsed' ? parseRdmaCtlStatus(status.value) : unknown(status.reason);
      const devices = devicesOf(devinfo, listed, isEnabled);
      if (devices.kind === 'unreadable') return session.fail(RDMA, 'ibv_devinfo', devices.reason);
      session.emit('rdma_ctl', { kind: 'rdmaDevices', value: { isEnabled, devices: devices.value } });
    }),
});

/**
 * ibv_devinfo tells most; where it fails while devices are listed they are told without ports. With RDMA off, or on a
 * system older than RDMA, there is nothing to list and that is no failure.
 */
const devicesOf = (
  devinfo: Parsed<string>,
  listed: Parsed<readonly IbvDevice[]>,
  isEnabled: Reported<boolean>,
): Parsed<readonly RdmaDevice[]> => {
  const told = devinfo.kind === 'parsed' ? parseIbvDevinfo(devinfo.value).map(withInterface) : [];
  const named = listed.kind === 'parsed' ? listed.value : [];
  const missing = named.filter(({ name }) => !told.some(device => device.name === name));
  if (devinfo.kind === 'unreadable' && isEnabled === true && named.length === 0) return devinfo;
  const reason = devinfo.kind === 'unreadable' ? devinfo.reason : 'ibv_devinfo does not list it';
  return { kind: 'parsed', value: [...told, ...missing.map(device => withoutPorts(device, reason))] };
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

const RDMA: GatheredKind = { reading: 'rdmaDevices', vendor: 'none' };
