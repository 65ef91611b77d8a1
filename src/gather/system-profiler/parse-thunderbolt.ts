// `system_profiler SPThunderboltDataType -json`: a list of buses, highest first, each with its receptacles (one on Apple
// silicon, two on Intel Macs) and a tree of what is plugged in. Another Mac is an item with a domain UUID, at any depth;
// docks and disks have none. Keys are the same in every language, values are not.

import type { ThunderboltPeer } from '../../core/node/thunderbolt.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import {
  type LooseRecord,
  looseJson,
  looseList,
  looseNumber,
  looseRecord,
  looseRecords,
  looseText,
} from '../loose-json.ts';
import { answered, type ToolAnswer, unanswered } from '../tool-output.ts';

type ThunderboltHardware =
  /** A virtual machine, or a Mac without the ports. */
  { readonly kind: 'none' } | { readonly kind: 'buses'; readonly buses: readonly ThunderboltBus[] };

/** A receptacle of a bus: those of one bus have its name and domain UUID in common. */
export interface ThunderboltBus {
  readonly busName: string;
  readonly receptacle: Reported<string>;
  readonly domainUuid: Reported<string>;
  readonly status: Reported<'connected' | 'empty'>;
  readonly capabilityBitsPerSecond: Reported<number>;
  readonly negotiatedBitsPerSecond: Reported<number>;
  readonly peers: readonly ThunderboltPeer[];
  readonly devices: readonly string[];
}

export const parseThunderbolt = (text: string): ToolAnswer<ThunderboltHardware> => {
  const list = looseList(looseRecord(looseJson(text))?.['SPThunderboltDataType']);
  if (list === undefined) return unanswered('system_profiler printed no list of Thunderbolt buses');
  const buses = looseRecords(list.slice(0, BUSES_MAX)).filter(isBus).flatMap(portsOf).slice(0, PORTS_MAX);
  return answered(buses.length === 0 ? { kind: 'none' } : { kind: 'buses', buses });
};

/** A machine without Thunderbolt lists one object with that message. */
const isBus = (record: LooseRecord): boolean =>
  looseText(record['domain_uuid_key']) !== undefined ||
  looseText(record['switch_uid_key']) !== undefined ||
  receptaclesOf(record).length > 0;

const portsOf = (record: LooseRecord): readonly ThunderboltBus[] => {
  const receptacles = receptaclesOf(record);
  const items = looseList(record['_items']) ?? [];
  const common = {
    busName: looseText(record['_name']) ?? 'unnamed bus',
    domainUuid: looseText(record['domain_uuid_key'])?.toUpperCase() ?? unknown('the bus has no domain UUID'),
  };
  if (receptacles.length === 0)
    return [{ ...common, receptacle: unknown(NO_PORT), ...linkOf(undefined), ...pluggedIn(items) }];
  const links = receptacles.map(({ record: receptacle }) => linkOf(receptacle));
  const connected = links.flatMap(({ status }, index) => (status === 'connected' ? [index] : []));
  return receptacles.map(({ record: receptacle }, index) => ({
    ...common,
    receptacle: looseText(receptacle['receptacle_id_key']) ?? unknown(NO_PORT),
    ...(links[index] ?? linkOf(receptacle)),
    ...pluggedIn(items.filter(item => receptacleOf(item, receptacles, connected) === index)),
  }));
};

interface Receptacle {
  /** Of the bus: 1, 2. */
  readonly number: number;
  readonly record: LooseRecord;
}

const receptaclesOf = (record: LooseRecord): readonly Receptacle[] =>
  Array.from({ length: RECEPTACLES_MAX }, (_, index) => index + 1).flatMap(number => {
    const receptacle = looseRecord(record[`receptacle_${number}_tag`]);
    return receptacle === undefined ? [] : [{ number, record: receptacle }];
  });

/**
 * The one in use; of several the one by the first hop of the item's route. A route lists adapters, lowest byte first, and
 * each receptacle has two: 1 and 2, 3 and 4 (USB4 specification, "Route String").
 */
const receptacleOf = (
  item: unknown,
  receptacles: readonly Receptacle[],
  connected: readonly number[],
): number => {
  if (receptacles.length === 1) return 0;
  if (connected.length === 1) return connected[0] ?? 0;
  const route = looseText(looseRecord(item)?.['route_string_key']) ?? '';
  const adapter = /^(?:0x)?[0-9a-f]{1,16}$/i.test(route) ? Number.parseInt(route.slice(-2), 16) : 0;
  const found = receptacles.findIndex(({ number }) => number === Math.ceil(adapter / 2));
  return found === -1 ? (connected[0] ?? 0) : found;
};

/**
 * "Up to 120 Gb/s" is what the port can do, and "80 Gb/s" is what was agreed on. The words are in the language of the user
 * ("Bis zu 40 Gbit/s"): what counts is whether something is connected, and whether there is any text except the rate.
 */
const linkOf = (
  receptacle: LooseRecord | undefined,
): Pick<ThunderboltBus, 'status' | 'capabilityBitsPerSecond' | 'negotiatedBitsPerSecond'> => {
  if (receptacle === undefined) {
    const missing = unknown(NO_PORT);
    return { status: missing, capabilityBitsPerSecond: missing, negotiatedBitsPerSecond: missing };
  }
  const status = statusOf(looseText(receptacle['receptacle_status_key']));
  const speed = speedIn(looseText(receptacle['current_speed_key']) ?? '');
  const isCapability = speed !== undefined && (status === 'empty' || speed.hasText);
  return {
    status,
    capabilityBitsPerSecond: isCapability
      ? speed.bitsPerSecond
      : unknown(speed === undefined ? NO_SPEED : 'shown only while nothing is connected'),
    negotiatedBitsPerSecond:
      speed !== undefined && !isCapability
        ? speed.bitsPerSecond
        : unknown(
            status === 'empty'
              ? 'nothing is connected'
              : isCapability
                ? 'system_profiler reports only what the port can do'
                : NO_SPEED,
          ),
  };
};

const statusOf = (text: string | undefined): Reported<'connected' | 'empty'> => {
  if (text === 'receptacle_connected') return 'connected';
  if (text === 'receptacle_no_devices_connected') return 'empty';
  return unknown('system_profiler does not report whether the port is in use');
};

/** A number with a unit of gigabits, as languages write it: "40 Gb/s", "40 Gbit/s", "40 Гбит/с", "80,0 Gb/s", "20 Gb/s x2". */
const speedIn = (text: string): { readonly bitsPerSecond: number; readonly hasText: boolean } | undefined => {
  const match = /(\d{1,5}(?:[.,]\d{1,3})?)\s*(?:G|Г)[^\s\d]{0,12}(?:\s+x\d)?/iu.exec(text);
  if (match?.[1] === undefined) return undefined;
  return {
    bitsPerSecond: Math.round(Number(match[1].replace(',', '.')) * 1e9),
    hasText: text.replace(match[0], '').trim() !== '',
  };
};

const pluggedIn = (
  items: readonly unknown[],
): { readonly peers: readonly ThunderboltPeer[]; readonly devices: readonly string[] } => {
  const peers: ThunderboltPeer[] = [];
  const devices: string[] = [];
  // A queue instead of recursion: the other machine decides the depth of the tree.
  const queue = items.map(item => ({ item, isBehindHub: false }));
  for (let index = 0; index < Math.min(queue.length, ITEMS_MAX); index++) {
    const entry = queue[index];
    const record = looseRecord(entry?.item);
    if (entry === undefined || record === undefined) continue;
    const name = looseText(record['_name']) ?? looseText(record['device_name_key']) ?? 'unnamed';
    const domainUuid = looseText(record['domain_uuid_key'])?.toUpperCase();
    if (domainUuid === undefined) devices.push(name);
    else peers.push({ domainUuid, name, isBehindHub: entry.isBehindHub, offersRdma: offersRdma(record) });
    for (const item of looseList(record['_items']) ?? []) queue.push({ item, isBehindHub: true });
  }
  return { peers, devices };
};

/** The service's name differs between systems and is garbled on some: only its protocol number is safe. */
const offersRdma = (peer: LooseRecord): boolean =>
  looseRecords(peer['services_title']).some(
    service => looseNumber(service['protocol_id_key']) === RDMA_PROTOCOL,
  );

const RDMA_PROTOCOL = 64_087;
const NO_SPEED = 'system_profiler reports no speed';
const NO_PORT = 'the bus names no port';
const BUSES_MAX = 64;
const RECEPTACLES_MAX = 4;
const PORTS_MAX = 64;
const ITEMS_MAX = 256;
