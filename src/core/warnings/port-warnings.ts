// Cables and slots that fail now and then: ports that were lost and came back within the last hour, and errors that grow faster
// than a sound cable's. Both ends of a cable may report it: each has its own port to look at.

import { counted } from '../figure/figure.ts';
import type { NodeView } from '../node/node-view.ts';
import {
  countsLosses,
  flapsOf,
  type PortHealth,
  portFaults,
  portFaultText,
  withinText,
} from '../node/port-health.ts';
import { knownValue } from '../node/reading-view.ts';
import { plainSentence, sentence } from '../text/sentence.ts';
import { shellCommand } from '../text/shell-words.ts';
import { isUnknown, knownOr } from '../unknown.ts';
import type { FoundWarning } from './warning.ts';

export const portWarnings = (views: readonly NodeView[]): readonly FoundWarning[] =>
  views
    .filter(({ presence }) => presence === 'live')
    .flatMap(view => {
      const health = knownValue(view.portHealth);
      if (health === undefined) return [];
      const slots = isUnknown(health.slots) ? [] : health.slots;
      return [
        ...flapWarnings(view, health.ports),
        ...health.ports.flatMap(port => errorWarnings(view, port)),
        ...slots.flatMap(slot => slotWarnings(view, slot)),
      ];
    });

/** An RDMA port is on the same cable as its interface: one warning. */
const flapWarnings = (view: NodeView, ports: readonly PortHealth[]): readonly FoundWarning[] => {
  const found = new Map<string, FoundWarning>();
  for (const port of ports) {
    const faults = portFaults(port);
    const flaps = flapsOf(faults);
    const interfaceName = port.kind === 'rdma' ? interfaceOf(view, port.name) : port.name;
    if (flaps === 0 || found.has(interfaceName) || isWireless(view, interfaceName)) continue;
    found.set(interfaceName, {
      id: `port flaps ${view.nodeId} ${interfaceName}`,
      level: 'caution',
      nodes: [view.nodeId],
      title: sentence`${view.name}: ${port.name} flapped ${plainSentence(`${counted(flaps, 'time')} ${withinText(faults)}`)}`,
      why: plainSentence(
        'It lost its carrier and came back. Programs that use it wait or fail meanwhile. A bad cable or transceiver, a loose plug, or the port at the other end is the usual cause.',
      ),
      on: view.name,
      command: shellCommand`ip -s -s link show dev ${interfaceName}`,
    });
  }
  return [...found.values()];
};

/** Of the interface on the same port, or the RDMA port's own. */
const interfaceOf = ({ rdmaDevices }: NodeView, name: string): string => {
  const [device, number] = name.split(':');
  const ports = knownValue(rdmaDevices)?.devices.find(each => each.name === device)?.ports ?? [];
  const port = ports.find(each => number === undefined || String(each.number) === number);
  return port === undefined ? name : knownOr(port.interfaceName, name);
};

/** They come and go with reception and with the sleep of a laptop. */
export const isWireless = ({ network }: NodeView, name: string): boolean => {
  const type = knownValue(network)?.interfaces.find(each => each.name === name)?.type;
  return type === 'wifi' || type === 'cellular';
};

const errorWarnings = (view: NodeView, port: PortHealth): readonly FoundWarning[] => {
  const faults = portFaults(port).filter(({ counter }) => !countsLosses(counter));
  if (faults.length === 0) return [];
  return [
    {
      id: `port errors ${view.nodeId} ${port.name}`,
      level: 'caution',
      nodes: [view.nodeId],
      title: sentence`${view.name}: ${port.name}: ${plainSentence(`${faults.map(portFaultText).join(', ')} ${withinText(faults)}`)}`,
      why: plainSentence(
        'More than a sound cable has. What is damaged is sent again, which costs bandwidth and round trips. Clean or replace the cable or transceiver; if the errors stay, the port is the cause.',
      ),
      on: view.name,
      command: shellCommand`grep -r . ${countersFolder(port.name)}`,
    },
  ];
};

const countersFolder = (name: string): string => {
  const [device = name, number = '1'] = name.split(':');
  return `/sys/class/infiniband/${device}/ports/${number}/counters`;
};

const slotWarnings = (view: NodeView, slot: PortHealth): readonly FoundWarning[] => {
  const faults = portFaults(slot);
  if (faults.length === 0) return [];
  const isFatal = faults.some(({ counter }) => counter === 'pcieFatal');
  const device = slot.interfaceName === undefined ? slot.name : `${slot.interfaceName} (${slot.name})`;
  return [
    {
      id: `slot errors ${view.nodeId} ${slot.name}`,
      level: isFatal ? 'danger' : 'caution',
      nodes: [view.nodeId],
      title: sentence`${view.name}: ${device}: ${plainSentence(`${faults.map(portFaultText).join(', ')} ${withinText(faults)}`)}`,
      why: plainSentence(
        'The PCIe link of this device makes errors. Corrected ones cost bandwidth; others may stop the device. Look at the seat of the card, the riser and its cables.',
      ),
      on: view.name,
      command: shellCommand`sudo lspci -vvv -s ${slot.name}`,
    },
  ];
};
