// `ip -j addr` of iproute2: the addresses of every interface, also of those without a carrier.

import type { InterfaceAddress } from '../../core/node/network.ts';
import { looseJson, looseList, looseNumber, looseRecord, looseText } from '../loose-json.ts';
import { answered, type ToolAnswer, unanswered } from '../tool-output.ts';

/** Interface name to addresses. An interface without addresses has an empty list. */
export type AddressTable = ReadonlyMap<string, readonly InterfaceAddress[]>;

export const parseIpAddr = (json: string): ToolAnswer<AddressTable> => {
  const interfaces = looseList(looseJson(json));
  if (interfaces === undefined) return unanswered('ip did not print a JSON list');
  const table = new Map<string, readonly InterfaceAddress[]>();
  for (const item of interfaces) {
    const fields = looseRecord(item);
    const name = looseText(fields?.['ifname']);
    if (name === undefined) continue; // iproute2 prints {} for interfaces that its filter left out
    table.set(name, (looseList(fields?.['addr_info']) ?? []).flatMap(addressIn));
  }
  return answered(table);
};

const addressIn = (item: unknown): readonly InterfaceAddress[] => {
  const fields = looseRecord(item);
  const address = looseText(fields?.['local']);
  const prefixLength = looseNumber(fields?.['prefixlen']);
  const family = FAMILIES.get(looseText(fields?.['family']) ?? '');
  if (
    address === undefined ||
    !/^[0-9a-f.:]{2,45}$/i.test(address) ||
    family === undefined ||
    prefixLength === undefined
  )
    return [];
  if (!Number.isInteger(prefixLength) || prefixLength < 0 || prefixLength > 128) return [];
  const scope = SCOPES.get(looseText(fields?.['scope']) ?? '') ?? 'global';
  return [{ address, family, prefixLength, scope }];
};

const FAMILIES: ReadonlyMap<string, InterfaceAddress['family']> = new Map([
  ['inet', 'ipv4'],
  ['inet6', 'ipv6'],
]);
const SCOPES: ReadonlyMap<string, InterfaceAddress['scope']> = new Map([
  ['global', 'global'],
  ['site', 'site'],
  ['link', 'link'],
  ['host', 'host'],
]);
