// `ibv_devices` and `ibv_devinfo`, on macOS and Linux.

import type { RdmaDevice, RdmaPort } from '../../core/node/rdma-devices.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import { toolLines } from '../tool-output.ts';

export interface IbvDevice {
  readonly name: string;
  /** Sixteen lower-case hex digits. */
  readonly nodeGuid: string;
}

/**
 * A header of two lines, then "name guid", split by white space of any kind. Without RDMA on a Mac the tool prints only
 * the header and exits 0; on a Linux kernel without RDMA it prints a message on stderr and exits 1.
 */
export const parseIbvDevices = (text: string): readonly IbvDevice[] => {
  const devices: IbvDevice[] = [];
  for (const line of toolLines(text)) {
    const match = /^\s*([\w.-]{1,64})\s+([0-9a-f]{16})\s*$/i.exec(line);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    devices.push({ name: match[1], nodeGuid: match[2].toLowerCase() });
    if (devices.length >= DEVICES_MAX) break;
  }
  return devices;
};

/**
 * With or without -v: "hca_id:" begins a device, "port:" a port, everything else is "name: value" by indentation.
 * Section headers without a value and flags on separate lines are skipped. The platform's code adds the interface of a
 * port.
 */
export const parseIbvDevinfo = (text: string): readonly RdmaDevice[] => {
  const devices: Section[] = [];
  for (const line of toolLines(text)) {
    const match = /^\s*([\w ]{1,40}?(?:\[\s*\d+\])?):\s*(.*?)\s*$/.exec(line);
    const [, name, value] = match ?? [];
    if (name === undefined || value === undefined || value === '') continue;
    const device = devices.at(-1);
    if (name === 'hca_id') {
      if (devices.length >= DEVICES_MAX) break;
      devices.push({ name: value, values: new Map(), ports: [] });
    } else if (name === 'port' && /^\d{1,3}$/.test(value)) {
      device?.ports.push({ number: Number(value), values: new Map() });
    } else {
      const values = device?.ports.at(-1)?.values ?? device?.values;
      if (values !== undefined && !values.has(name)) values.set(name, value.slice(0, VALUE_LENGTH_MAX));
    }
  }
  return devices.map(deviceOf);
};

interface Section {
  readonly name: string;
  readonly values: Map<string, string>;
  readonly ports: { readonly number: number; readonly values: Map<string, string> }[];
}

const deviceOf = ({ name, values, ports }: Section): RdmaDevice => ({
  name: name.slice(0, NAME_LENGTH_MAX),
  nodeGuid: guidIn(values.get('node_guid')),
  systemImageGuid: guidIn(values.get('sys_image_guid')),
  firmware: values.get('fw_ver') ?? unknown('ibv_devinfo does not report it'),
  ports: ports.slice(0, PORTS_MAX).map(port => portOf(port.number, port.values)),
});

const portOf = (number: number, values: ReadonlyMap<string, string>): RdmaPort => {
  const linkLayer = linkLayerIn(values.get('link_layer'));
  return {
    number,
    state: stateIn(values.get('state')),
    physicalState: /^[A-Z_]+/.exec(values.get('phys_state') ?? '')?.[0] ?? unknown(NOT_REPORTED),
    linkLayer,
    rateBitsPerSecond: rateIn(values),
    activeMtuBytes: mtuIn(values.get('active_mtu')),
    interfaceName: unknown(NOT_REPORTED),
    subnetPrefix:
      linkLayer === 'infiniband' ? subnetPrefixIn(values) : unknown('only InfiniBand has subnets of its own'),
  };
};

/** "PORT_ACTIVE (4)"; any other text, PORT_NOP included, is unknown. */
const stateIn = (text: string | undefined): RdmaPort['state'] => {
  switch (text?.split(' ')[0]) {
    case 'PORT_ACTIVE':
      return 'active';
    case 'PORT_ARMED':
      return 'armed';
    case 'PORT_INIT':
      return 'initializing';
    case 'PORT_DOWN':
      return 'down';
    default:
      return unknown(text === undefined ? NOT_REPORTED : `state "${text.slice(0, 60)}"`);
  }
};

const linkLayerIn = (text: string | undefined): RdmaPort['linkLayer'] => {
  switch (text) {
    case 'InfiniBand':
      return 'infiniband';
    case 'Ethernet':
      return 'ethernet';
    case 'Thunderbolt':
      return 'thunderbolt';
    default:
      return unknown(text === undefined ? NOT_REPORTED : `link layer "${text.slice(0, 60)}"`);
  }
};

/** -v only: "4X (2)" lanes times "50.0 Gbps (64)" per lane. */
const rateIn = (values: ReadonlyMap<string, string>): Reported<number> => {
  const lanes = /^(\d{1,2})X\b/.exec(values.get('active_width') ?? '');
  const laneGbps = /^(\d{1,4}(?:\.\d{1,3})?) Gbps\b/.exec(values.get('active_speed') ?? '');
  if (lanes === null || laneGbps === null) return unknown(NOT_REPORTED);
  return Math.round(Number(lanes[1]) * Number(laneGbps[1]) * 1e9);
};

/** "4096 (5)" */
const mtuIn = (text: string | undefined): Reported<number> => {
  const match = /^(\d{3,5}) \(\d\)$/.exec(text ?? '');
  return match === null ? unknown(NOT_REPORTED) : Number(match[1]);
};

const guidIn = (text: string | undefined): Reported<string> => {
  const guid = (text ?? '').replaceAll(':', '').toLowerCase();
  if (!/^[0-9a-f]{16}$/.test(guid)) return unknown(NOT_REPORTED);
  return /^0+$/.test(guid) ? unknown('not set') : guid;
};

/** -v only: the first 64 bits of GID 0, as four groups. */
const subnetPrefixIn = (values: ReadonlyMap<string, string>): Reported<string> => {
  const gid = /^[0-9a-f:]+/i.exec(values.get('GID[  0]') ?? '')?.[0]?.toLowerCase();
  const [head = '', tail] = (gid ?? '').split('::');
  const groups = head.split(':');
  const isWhole = tail === undefined ? groups.length === 8 : head !== '' && groups.length < 8;
  if (gid === undefined || !isWhole || groups.some(group => !/^[0-9a-f]{1,4}$/.test(group))) {
    return unknown(NOT_REPORTED);
  }
  const missing = Math.max(0, 4 - groups.length);
  return [...groups.slice(0, 4), ...Array<string>(missing).fill('0')]
    .map(group => group.padStart(4, '0'))
    .join(':');
};

const NOT_REPORTED = 'ibv_devinfo does not report it';
const VALUE_LENGTH_MAX = 200;
const DEVICES_MAX = 256;
const PORTS_MAX = 64;
const NAME_LENGTH_MAX = 64;
