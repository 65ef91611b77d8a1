// The bridge that macOS makes of all Thunderbolt ports: the first bridge with a Thunderbolt member. Two Macs joined by
// two cables, both with the bridge on, storm; so a person should know its name and whether it is on.

import type { ThunderboltBridge } from '../../core/node/thunderbolt.ts';
import { unknown } from '../../core/unknown.ts';
import type { IfconfigInterface } from '../ifconfig/parse-ifconfig.ts';
import type { Parsed } from '../parsed.ts';
import { type HardwarePort, isThunderboltPort } from './parse-hardware-ports.ts';
import type { NetworkService } from './parse-service-order.ts';

export const findThunderboltBridge = (
  ports: readonly HardwarePort[],
  interfaces: readonly IfconfigInterface[],
  services: Parsed<readonly NetworkService[]>,
): ThunderboltBridge => {
  const thunderboltDevices = new Set(ports.filter(isThunderboltPort).map(port => port.device));
  const bridge = interfaces.find(
    candidate =>
      candidate.name.startsWith('bridge') && candidate.members.some(member => thunderboltDevices.has(member)),
  );
  if (bridge === undefined) return { kind: 'absent' };
  const { name: interfaceName, members } = bridge;
  if (services.kind === 'unreadable') {
    const missing = unknown(services.reason);
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
