// RDMA over Thunderbolt on a Mac: whether it is switched on (`rdma_ctl`, macOS 26.2 and later), and its devices. A port
// is active only when both ends of its cable have RDMA on.

import type { RdmaDevice } from '../../core/node/rdma-devices.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import type { MachineAccess } from '../machine-access.ts';
import { poll } from '../poll.ts';
import { answered, RememberedRead, type ToolAnswer, type ToolContext, toolText } from '../tool-output.ts';
import { type IbvDevice, parseIbvDevices, parseIbvDevinfo } from './parse-ibv.ts';

/** The devices, read once and shared. */
export const ibverbsDevices = ({ tools, timeouts }: MachineAccess): RememberedRead<readonly RdmaDevice[]> =>
  new RememberedRead(signal => readIbverbs({ tools, signal, timeoutMs: timeouts.toolMs }));

export const macosRdmaGatherer = (
  { tools, intervals, timeouts }: MachineAccess,
  rdmaDevices: RememberedRead<readonly RdmaDevice[]>,
): Gatherer => ({
  name: 'rdma-ctl',
  reports: [RDMA],
  intervalMs: intervals.rdmaMs,
  gather: session =>
    poll(session, intervals.rdmaMs, async signal => {
      const [status, devices] = await Promise.all([
        toolText('rdma_ctl', ['status'], { tools, signal, timeoutMs: timeouts.toolMs }),
        rdmaDevices.get({ clock: session.clock, signal, ageMsMax: intervals.rdmaMs / 2 }),
      ]);
      const isEnabled =
        status.kind === 'answered' ? parseRdmaCtlStatus(status.value) : unknown(status.reason, status.code);
      // With RDMA off, or on a system older than RDMA, there is nothing to list, which is not a failure.
      if (devices.kind === 'unanswered' && isEnabled === true) {
        session.fail(RDMA, 'ibv_devinfo', devices.reason, devices.code);
        return;
      }
      const listed = devices.kind === 'answered' ? devices.value : [];
      session.emit('rdma_ctl', { kind: 'rdmaDevices', value: { isEnabled, devices: listed } });
    }),
});

/** `rdma_ctl status` prints one word. The whole output is compared, because "partially enabled" is neither. */
export const parseRdmaCtlStatus = (text: string): Reported<boolean> => {
  const answer = text.trim();
  if (answer === 'enabled') return true;
  if (answer === 'disabled') return false;
  return unknown(`rdma_ctl prints "${answer.slice(0, 80)}"`);
};

/**
 * RDMA devices of a Mac. `ibv_devinfo` has the most; if it fails while `ibv_devices` lists devices, these are reported
 * without ports. Both fail, or list nothing, on a Mac with RDMA off.
 */
const readIbverbs = async (context: ToolContext): Promise<ToolAnswer<readonly RdmaDevice[]>> => {
  const devinfo = await toolText('ibv_devinfo', [], context);
  const reported = devinfo.kind === 'answered' ? parseIbvDevinfo(devinfo.value).map(withInterface) : [];
  if (reported.length > 0) return answered(reported);
  const listed = await toolText('ibv_devices', [], context);
  if (listed.kind === 'unanswered') return listed;
  const named = parseIbvDevices(listed.value);
  if (named.length === 0 && devinfo.kind === 'unanswered') return devinfo;
  const reason = devinfo.kind === 'unanswered' ? devinfo.reason : 'ibv_devinfo lists no device';
  return answered(named.map(device => withoutPorts(device, reason)));
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
