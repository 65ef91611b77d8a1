// Thunderbolt ports and peers of a Mac. Each round runs only one `system_profiler`; the device behind a receptacle, the
// RDMA devices and the bridge change seldom and are read less often.

import type { RdmaDevice } from '../../core/node/rdma-devices.ts';
import type { NodeThunderbolt, ThunderboltBridge, ThunderboltPort } from '../../core/node/thunderbolt.ts';
import { type Reported, type Unknown, unknown } from '../../core/unknown.ts';
import type { GatheredKind, Gatherer } from '../gatherer.ts';
import { type IfconfigInterface, parseIfconfig } from '../ifconfig/parse-ifconfig.ts';
import type { MachineAccess } from '../machine-access.ts';
import {
  deviceOfReceptacle,
  type HardwarePort,
  isThunderboltPort,
  type NetworkService,
  parseServiceOrder,
} from '../networksetup/parse-networksetup.ts';
import { poll } from '../poll.ts';
import { answered, RememberedRead, type ToolAnswer, type ToolContext, toolText } from '../tool-output.ts';
import { parseThunderbolt, type ThunderboltBus } from './parse-thunderbolt.ts';

export const macosThunderboltGatherer = (
  { tools, intervals, timeouts }: MachineAccess,
  hardwarePorts: RememberedRead<readonly HardwarePort[]>,
  rdmaDevices: RememberedRead<readonly RdmaDevice[]>,
): Gatherer => ({
  name: 'system-profiler-thunderbolt',
  reports: [THUNDERBOLT],
  intervalMs: intervals.thunderboltMs,
  gather: async session => {
    const { clock } = session;
    const bridgeRead = new RememberedRead(async signal =>
      answered(
        await readBridge(
          { tools, signal, timeoutMs: timeouts.toolMs },
          await hardwarePorts.get({ clock, signal, ageMsMax: intervals.bridgeMs }),
        ),
      ),
    );
    const ending = new AbortController();
    const own = { ...session, signal: AbortSignal.any([session.signal, ending.signal]) };
    await poll(own, intervals.thunderboltMs, async signal => {
      const caller = { clock, signal };
      const [text, ports, rdma, bridge] = await Promise.all([
        toolText('system_profiler', ['SPThunderboltDataType', '-json'], {
          tools,
          signal,
          timeoutMs: timeouts.toolMs,
        }),
        hardwarePorts.get({ ...caller, ageMsMax: intervals.networkMs }),
        rdmaDevices.get({ ...caller, ageMsMax: intervals.rdmaMs }),
        bridgeRead.get({ ...caller, ageMsMax: intervals.bridgeMs }),
      ]);
      const hardware = text.kind === 'answered' ? parseThunderbolt(text.value) : text;
      if (hardware.kind === 'unanswered') {
        session.fail(THUNDERBOLT, 'system_profiler', hardware.reason, hardware.code);
        return;
      }
      if (hardware.value.kind === 'none') {
        session.absent(THUNDERBOLT, 'system_profiler', 'this Mac has no Thunderbolt ports');
        ending.abort();
        return;
      }
      const value: NodeThunderbolt = {
        ports: hardware.value.buses.map(bus => portOf(bus, ports, rdma)),
        bridge: bridge.kind === 'answered' ? bridge.value : unknown(bridge.reason, bridge.code),
      };
      session.emit('system_profiler', { kind: 'thunderbolt', value });
    });
  },
});

const portOf = (
  bus: ThunderboltBus,
  ports: ToolAnswer<readonly HardwarePort[]>,
  rdma: ToolAnswer<readonly RdmaDevice[]>,
): ThunderboltPort => {
  const interfaceName = interfaceOf(bus.receptacle, ports);
  return { ...bus, interfaceName, rdmaInterfaceName: rdmaOf(interfaceName, rdma) };
};

const interfaceOf = (
  receptacle: Reported<string>,
  ports: ToolAnswer<readonly HardwarePort[]>,
): Reported<string> => {
  if (typeof receptacle !== 'string') return receptacle;
  if (ports.kind === 'unanswered') return unknown(ports.reason, ports.code);
  return (
    deviceOfReceptacle(ports.value, receptacle) ??
    unknown(`networksetup lists no port "Thunderbolt ${receptacle}"`)
  );
};

/** macOS names the RDMA device of en1 rdma_en1; only the list of devices shows whether it exists. */
const rdmaOf = (
  interfaceName: Reported<string>,
  rdma: ToolAnswer<readonly RdmaDevice[]>,
): Reported<string> => {
  if (typeof interfaceName !== 'string') return interfaceName;
  if (rdma.kind === 'unanswered') return unknown(rdma.reason, rdma.code);
  const name = `rdma_${interfaceName}`;
  return rdma.value.some(device => device.name === name) ? name : unknown(`there is no RDMA device ${name}`);
};

const readBridge = async (
  context: ToolContext,
  ports: ToolAnswer<readonly HardwarePort[]>,
): Promise<ThunderboltBridge | Unknown> => {
  if (ports.kind === 'unanswered') return unknown(ports.reason, ports.code);
  const [interfaces, services] = await Promise.all([
    toolText('ifconfig', [], context),
    toolText('networksetup', ['-listnetworkserviceorder'], context),
  ]);
  if (interfaces.kind === 'unanswered') return unknown(interfaces.reason, interfaces.code);
  return findThunderboltBridge(
    ports.value,
    parseIfconfig(interfaces.value),
    services.kind === 'answered' ? answered(parseServiceOrder(services.value)) : services,
  );
};

/**
 * The bridge that macOS creates from all Thunderbolt ports: the first bridge with a Thunderbolt member. Two Macs joined
 * by two cables, both with the bridge on, cause a broadcast storm; so a person should know its name and whether it is
 * on.
 */
export const findThunderboltBridge = (
  ports: readonly HardwarePort[],
  interfaces: readonly IfconfigInterface[],
  services: ToolAnswer<readonly NetworkService[]>,
): ThunderboltBridge => {
  const thunderboltDevices = new Set(ports.filter(isThunderboltPort).map(port => port.device));
  const bridge = interfaces.find(
    candidate =>
      candidate.name.startsWith('bridge') && candidate.members.some(member => thunderboltDevices.has(member)),
  );
  if (bridge === undefined) return { kind: 'absent' };
  const { name: interfaceName, members } = bridge;
  if (services.kind === 'unanswered') {
    const missing = unknown(services.reason, services.code);
    return { kind: 'present', interfaceName, members, serviceName: missing, isEnabled: missing };
  }
  const service = services.value.find(candidate => candidate.device === interfaceName);
  return {
    kind: 'present',
    interfaceName,
    members,
    serviceName: service?.name ?? unknown('no network service uses it'),
    isEnabled: service?.isEnabled ?? unknown('no network service uses it'),
  };
};

const THUNDERBOLT: GatheredKind = { reading: 'thunderbolt', vendor: 'none' };
