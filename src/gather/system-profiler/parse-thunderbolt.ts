// `system_profiler SPThunderboltDataType -json`: a list of buses, highest first, each with one receptacle and a tree of
// what is plugged in. Another Mac is an item with a domain UUID, at any depth; docks and disks have none.

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

export const parseThunderbolt = (text: string): ToolAnswer<ThunderboltHardware> => {
  const list = looseList(looseRecord(looseJson(text))?.['SPThunderboltDataType']);
  if (list === undefined) return unanswered('system_profiler printed no list of Thunderbolt buses');
  const buses = looseRecords(list.slice(0, BUSES_MAX)).filter(isBus).map(busOf);
  return answered(buses.length === 0 ? { kind: 'none' } : { kind: 'buses', buses });
};

/** A machine without Thunderbolt lists one object that says so. */
const isBus = (record: LooseRecord): boolean =>
  looseText(record['domain_uuid_key']) !== undefined ||
  looseText(record['switch_uid_key']) !== undefined ||
  looseRecord(record['receptacle_1_tag']) !== undefined;

const busOf = (record: LooseRecord): ThunderboltBus => {
  const receptacle = looseRecord(record['receptacle_1_tag']);
  const plugged = pluggedIn(looseList(record['_items']));
  return {
    busName: looseText(record['_name']) ?? 'unnamed bus',
    receptacle: looseText(receptacle?.['receptacle_id_key']) ?? unknown('the bus names no port'),
    domainUuid: looseText(record['domain_uuid_key'])?.toUpperCase() ?? unknown('the bus has no domain UUID'),
    ...linkOf(receptacle),
    ...plugged,
  };
};

/** "Up to 120 Gb/s" is what the port can do and shows while nothing is linked; "80 Gb/s" is what was agreed on. */
const linkOf = (
  receptacle: LooseRecord | undefined,
): Pick<ThunderboltBus, 'status' | 'capabilityBitsPerSecond' | 'negotiatedBitsPerSecond'> => {
  if (receptacle === undefined) {
    const missing = unknown('the bus names no port');
    return { status: missing, capabilityBitsPerSecond: missing, negotiatedBitsPerSecond: missing };
  }
  const status = statusOf(looseText(receptacle['receptacle_status_key']));
  const speed = speedOf(looseText(receptacle['current_speed_key']));
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
  return unknown('system_profiler does not report whether the port is in use');
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
  // A queue instead of recursion: the other machine decides the depth of the tree.
  const queue = (items ?? []).map(item => ({ item, isBehindHub: false }));
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
const BUSES_MAX = 64;
const ITEMS_MAX = 256;
