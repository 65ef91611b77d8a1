// `system_profiler SPThunderboltDataType -json`: a list of buses, highest first, each with one receptacle and a tree of
// what is plugged in. Another Mac is an item with a domain UUID, at any depth; docks and disks have none.

import type { ThunderboltPeer } from '../../core/node/thunderbolt.ts';
import { type Reported, unknown } from '../../core/unknown.ts';
import { type LooseRecord, listIn, looseJson, numberIn, recordIn, recordsIn, textIn } from '../loose-json.ts';
import { type Parsed, parsed, unreadable } from '../parsed.ts';

export type ThunderboltHardware =
  /** A virtual machine, or a Mac without the ports. */
  { readonly kind: 'none' } | { readonly kind: 'buses'; readonly buses: readonly ThunderboltBus[] };

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

export const parseThunderbolt = (text: string): Parsed<ThunderboltHardware> => {
  const list = listIn(recordIn(looseJson(text))?.['SPThunderboltDataType']);
  if (list === undefined) return unreadable('system_profiler printed no list of Thunderbolt buses');
  const buses = recordsIn(list.slice(0, BUSES_MAX)).filter(isBus).map(busOf);
  return parsed(buses.length === 0 ? { kind: 'none' } : { kind: 'buses', buses });
};

/** A machine without Thunderbolt lists one object that says so. */
const isBus = (record: LooseRecord): boolean =>
  textIn(record['domain_uuid_key']) !== undefined ||
  textIn(record['switch_uid_key']) !== undefined ||
  recordIn(record['receptacle_1_tag']) !== undefined;

const busOf = (record: LooseRecord): ThunderboltBus => {
  const receptacle = recordIn(record['receptacle_1_tag']);
  const plugged = pluggedIn(listIn(record['_items']));
  return {
    busName: textIn(record['_name']) ?? 'unnamed bus',
    receptacle: textIn(receptacle?.['receptacle_id_key']) ?? unknown('the bus names no receptacle'),
    domainUuid: textIn(record['domain_uuid_key'])?.toUpperCase() ?? unknown('the bus has no domain UUID'),
    ...linkOf(receptacle),
    ...plugged,
  };
};

/** "Up to 120 Gb/s" is what the port can do and shows while nothing is linked; "80 Gb/s" is what was agreed on. */
const linkOf = (
  receptacle: LooseRecord | undefined,
): Pick<ThunderboltBus, 'status' | 'capabilityBitsPerSecond' | 'negotiatedBitsPerSecond'> => {
  if (receptacle === undefined) {
    const missing = unknown('the bus names no receptacle');
    return { status: missing, capabilityBitsPerSecond: missing, negotiatedBitsPerSecond: missing };
  }
  const status = statusOf(textIn(receptacle['receptacle_status_key']));
  const speed = speedOf(textIn(receptacle['current_speed_key']));
  return {
    status,
    capabilityBitsPerSecond:
      speed?.kind === 'capability'
        ? speed.bitsPerSecond
        : unknown(speed === undefined ? NO_SPEED : 'shown only while nothing is connected'),
    negotiatedBitsPerSecond:
      speed?.kind === 'negotiated'
        ? speed.bitsPerSecond
        : unknown(status === 'empty' ? 'nothing is connected' : NO_SPEED),
  };
};

const statusOf = (text: string | undefined): Reported<'connected' | 'empty'> => {
  if (text === 'receptacle_connected') return 'connected';
  if (text === 'receptacle_no_devices_connected') return 'empty';
  return unknown('system_profiler does not tell whether the port is in use');
};

const speedOf = (
  text: string | undefined,
): { readonly kind: 'capability' | 'negotiated'; readonly bitsPerSecond: number } | undefined => {
  const match = /^(Up to )?(\d{1,5}(?:\.\d{1,3})?) Gb\/s\b/i.exec(text ?? '');
  if (match === null) return undefined;
  return {
    kind: match[1] === undefined ? 'negotiated' : 'capability',
    bitsPerSecond: Math.round(Number(match[2]) * 1e9),
  };
};

const pluggedIn = (
  items: readonly unknown[] | undefined,
): { readonly peers: readonly ThunderboltPeer[]; readonly devices: readonly string[] } => {
  const peers: ThunderboltPeer[] = [];
  const devices: string[] = [];
  // A queue instead of recursion: the depth of the tree is the other machine's to choose.
  const queue = (items ?? []).map(item => ({ item, isBehindHub: false }));
  for (let index = 0; index < Math.min(queue.length, ITEMS_MAX); index++) {
    const entry = queue[index];
    const record = recordIn(entry?.item);
    if (entry === undefined || record === undefined) continue;
    const name = textIn(record['_name']) ?? textIn(record['device_name_key']) ?? 'unnamed';
    const domainUuid = textIn(record['domain_uuid_key'])?.toUpperCase();
    if (domainUuid === undefined) devices.push(name);
    else peers.push({ domainUuid, name, isBehindHub: entry.isBehindHub, offersRdma: offersRdma(record) });
    for (const item of listIn(record['_items']) ?? []) queue.push({ item, isBehindHub: true });
  }
  return { peers, devices };
};

/** The service's name differs between systems and is garbled on some: only its protocol number is safe. */
const offersRdma = (peer: LooseRecord): boolean =>
  recordsIn(peer['services_title']).some(service => numberIn(service['protocol_id_key']) === RDMA_PROTOCOL);

const RDMA_PROTOCOL = 64_087;
const NO_SPEED = 'system_profiler tells no speed';
const BUSES_MAX = 64;
const ITEMS_MAX = 256;
