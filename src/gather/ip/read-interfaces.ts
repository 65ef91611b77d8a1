// Interfaces of a Linux machine: the facts of sysfs judged, with their addresses.

import type { NetworkInterface } from '../../core/node/network.ts';
import { unknown } from '../../core/unknown.ts';
import type { MachineFiles } from '../machine-files.ts';
import { type InterfaceFacts, readInterfaceFacts } from './interface-facts.ts';
import { isUpByState, parseCarrier, parseSpeed, whyNoSpeed } from './interface-state.ts';
import { interfaceType } from './interface-type.ts';
import type { AddressTable } from './parse-ip-addr.ts';

/** Those with a device behind them first, then by name, so that the bound cuts off what containers made. */
export const readInterfaces = async (
  files: MachineFiles,
  names: readonly string[],
  addresses: AddressTable,
): Promise<readonly NetworkInterface[]> => {
  const facts = [...names]
    .sort()
    // bonding_masters is a file among the folders, and has no attributes.
    .flatMap(name => readInterfaceFacts(files, name) ?? [])
    .sort((a, b) => Number(b.hasDevice) - Number(a.hasDevice));
  const interfaces: NetworkInterface[] = [];
  for (const found of facts) interfaces.push(await readInterface(files, found, addresses));
  return interfaces;
};

const readInterface = async (
  files: MachineFiles,
  facts: InterfaceFacts,
  addresses: AddressTable,
): Promise<NetworkInterface> => {
  const { type, evidence } = interfaceType(facts);
  // Carrier and speed are read off this thread: the kernel takes a lock for them that a driver in trouble holds for long.
  const isUp = isUpByState(facts) ?? parseCarrier(await files.text(`/sys/class/net/${facts.name}/carrier`));
  return {
    name: facts.name,
    type,
    typeEvidence: evidence,
    macAddress: /^(?:|[0:]+)$/.test(facts.address) ? unknown('no hardware address') : facts.address,
    isUp,
    speedBitsPerSecond:
      whyNoSpeed(facts, type, isUp) ??
      parseSpeed(await files.text(`/sys/class/net/${facts.name}/speed`), type),
    mtuBytes: facts.mtu ?? unknown('the driver does not tell'),
    driver:
      facts.driver === ''
        ? unknown(facts.hasDevice ? 'no driver is bound' : 'no device stands behind it')
        : facts.driver,
    addresses: (addresses.get(facts.name) ?? []).slice(0, ADDRESSES_MAX),
    members: facts.members,
  };
};

/** A load balancer may carry thousands; the picture needs a few that answer. */
const ADDRESSES_MAX = 256;
