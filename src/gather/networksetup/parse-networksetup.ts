// `networksetup`: which device belongs to a hardware port, and which network service uses it. Device numbers do not
// follow port numbers, so a device is looked up here and never computed.

import type { MachineAccess } from '../machine-access.ts';
import {
  answered,
  RememberedRead,
  type ToolAnswer,
  toolLines,
  toolText,
  unanswered,
} from '../tool-output.ts';

export interface HardwarePort {
  /** "Thunderbolt 1", "Wi-Fi", "USB 10/100/1000 LAN". */
  readonly portName: string;
  /** "en1" */
  readonly device: string;
}

/**
 * The hardware ports, read once and shared. When the tool fails now and then, the last map still applies: ports change
 * only when something is plugged in.
 */
export const hardwarePorts = ({
  tools,
  timeouts,
}: MachineAccess): RememberedRead<readonly HardwarePort[]> => {
  let last: ToolAnswer<readonly HardwarePort[]> | undefined;
  let failures = 0;
  return new RememberedRead(async signal => {
    const context = { tools, signal, timeoutMs: timeouts.toolMs };
    const text = await toolText('networksetup', ['-listallhardwareports'], context);
    const ports = text.kind === 'answered' ? parseHardwarePorts(text.value) : [];
    if (text.kind === 'unanswered' || ports.length === 0) {
      failures += 1;
      if (last !== undefined && failures <= FAILURES_MAX) return last;
      return text.kind === 'unanswered' ? text : unanswered('networksetup lists no hardware port');
    }
    failures = 0;
    last = answered(ports);
    return last;
  });
};

/**
 * `-listallhardwareports`: blocks of "Hardware Port / Device / Ethernet Address", then the VLANs, which ifconfig
 * describes better.
 */
export const parseHardwarePorts = (text: string): readonly HardwarePort[] => {
  const ports: HardwarePort[] = [];
  let portName: string | undefined;
  for (const line of toolLines(text)) {
    const port = /^Hardware Port:\s*(\S.{0,200}?)\s*$/.exec(line);
    if (port?.[1] !== undefined) portName = port[1];
    const device = /^Device:\s*(\S{1,64})\s*$/.exec(line);
    if (device?.[1] === undefined || portName === undefined) continue;
    ports.push({ portName, device: device[1] });
    portName = undefined;
    if (ports.length >= PORTS_MAX) break;
  }
  return ports;
};

/** A port of the Mac itself: "Thunderbolt Bridge" joins them, "Thunderbolt Ethernet Slot 0" is a LAN card in a dock. */
export const isThunderboltPort = ({ portName }: HardwarePort): boolean => /^Thunderbolt \d+$/.test(portName);

/** The device behind the receptacle that carries this number. */
export const deviceOfReceptacle = (ports: readonly HardwarePort[], receptacle: string): string | undefined =>
  ports.find(port => port.portName === `Thunderbolt ${receptacle}`)?.device;

export interface NetworkService {
  readonly name: string;
  readonly device: string;
  readonly isEnabled: boolean;
}

/**
 * `-listnetworkserviceorder`: two lines per service, "(3) name", with an asterisk for the number when the service is
 * disabled, and "(Hardware Port: …, Device: bridge0)". A VPN has no device.
 */
export const parseServiceOrder = (text: string): readonly NetworkService[] => {
  const services: NetworkService[] = [];
  let named: { readonly name: string; readonly isEnabled: boolean } | undefined;
  for (const line of toolLines(text)) {
    const device = /^\(Hardware Port: .*, Device: ([^\s,)]*)\)\s*$/.exec(line);
    if (device !== null) {
      if (named !== undefined) services.push({ ...named, device: device[1] ?? '' });
      named = undefined;
      if (services.length >= SERVICES_MAX) break;
      continue;
    }
    const name = /^\((\d+|\*)\) (\S.{0,200}?)\s*$/.exec(line);
    if (name?.[2] !== undefined) named = { name: name[2], isEnabled: name[1] !== '*' };
  }
  return services;
};

/** After so many in a row the reason is reported instead. */
const FAILURES_MAX = 5;
const PORTS_MAX = 256;
const SERVICES_MAX = 256;
