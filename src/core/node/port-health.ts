// What has gone wrong on a node's cables and slots: how often a port lost its carrier, errors of RDMA ports and of PCIe devices,
// in total and within the last hour. A cable that fails now and then looks sound in every other reading.

import * as v from 'valibot';
import { maximumOf } from '../extremes.ts';
import { formatAge } from '../figure/duration.ts';
import { counted, figureText } from '../figure/figure.ts';
import { counter, type Infer, list, nonNegative, openObject, reported, text } from '../schema.ts';
import { isUnknown } from '../unknown.ts';
import { gathered } from './gathered.ts';

export const PORT_COUNTER_NAMES = [
  'carrierChanges',
  'linkDowned',
  'linkRecoveries',
  'symbolErrors',
  'integrityErrors',
  'pcieCorrected',
  'pcieNonfatal',
  'pcieFatal',
] as const;

export type PortCounterName = (typeof PORT_COUNTER_NAMES)[number];

const portSchema = openObject({
  /** As the network reading names an interface and a connection an RDMA port; the address of a PCI device. */
  name: text,
  kind: v.picklist(['interface', 'rdma', 'pcie']),
  /** Of a PCI device that is a network adapter. */
  interfaceName: v.exactOptional(text),
  counters: list(
    openObject({
      counter: v.picklist(PORT_COUNTER_NAMES),
      /** Since its counters started. */
      total: reported(counter),
      lastHour: reported(counter),
      /** How far back that reaches, ms: less after a start. */
      observedMs: nonNegative,
    }),
  ),
});

export type PortHealth = Infer<typeof portSchema>;

const portHealthSchema = openObject({
  ports: list(portSchema),
  /** PCI devices that count errors; of bridges those that have some. */
  slots: reported(list(portSchema)),
});

export type NodePortHealth = Infer<typeof portHealthSchema>;

interface PortCounter {
  readonly kind: PortHealth['kind'];
  /** "4 carrier changes". */
  readonly one: string;
  readonly many: string;
  /** Where to look. */
  readonly cause: string;
  /** In its folder; the counter is the number in it, or in the line that begins with `line`. */
  readonly file: string;
  readonly line?: string;
  /** Where it stops: the growth of one that has is unknown. */
  readonly max?: number;
  /** Total of a sound one; default: 0. */
  readonly normal?: number;
  /** Within an hour, from which a person should look at it. */
  readonly warnFrom: number;
}

const CABLE = 'cable, transceiver or the port at the other end';
const SLOT = 'the seat of the card, the riser or its cables';

/**
 * Documentation/ABI/testing/sysfs-class-net, stable/sysfs-class-infiniband and testing/sysfs-bus-pci-devices-aer. The counters
 * of InfiniBand have 4 to 16 bits and stop at their maximum (IBA vol. 1, 16.1.3.5, PortCounters). Limits: a replugged cable is one
 * loss; symbol errors by the bit error rate of 10^-12 that the specification allows; a few corrected errors of PCIe are normal.
 */
export const PORT_COUNTERS: Readonly<Record<PortCounterName, PortCounter>> = {
  carrierChanges: {
    kind: 'interface',
    one: 'carrier change',
    many: 'carrier changes',
    cause: CABLE,
    file: 'carrier_changes',
    // It is lost and returns while the interface is switched on.
    normal: 2,
    // Each loss and each return counts.
    warnFrom: 4,
  },
  linkDowned: {
    kind: 'rdma',
    one: 'link failure',
    many: 'link failures',
    cause: CABLE,
    file: 'counters/link_downed',
    max: 255,
    warnFrom: 2,
  },
  linkRecoveries: {
    kind: 'rdma',
    one: 'link recovery',
    many: 'link recoveries',
    cause: CABLE,
    file: 'counters/link_error_recovery',
    max: 255,
    warnFrom: 5,
  },
  symbolErrors: {
    kind: 'rdma',
    one: 'symbol error',
    many: 'symbol errors',
    cause: CABLE,
    file: 'counters/symbol_error',
    max: 65_535,
    warnFrom: 120,
  },
  integrityErrors: {
    kind: 'rdma',
    one: 'link integrity error',
    many: 'link integrity errors',
    cause: CABLE,
    file: 'counters/local_link_integrity_errors',
    max: 15,
    warnFrom: 1,
  },
  pcieCorrected: {
    kind: 'pcie',
    one: 'corrected PCIe error',
    many: 'corrected PCIe errors',
    cause: SLOT,
    file: 'aer_dev_correctable',
    line: 'TOTAL_ERR_COR',
    warnFrom: 100,
  },
  pcieNonfatal: {
    kind: 'pcie',
    one: 'uncorrected PCIe error',
    many: 'uncorrected PCIe errors',
    cause: SLOT,
    file: 'aer_dev_nonfatal',
    line: 'TOTAL_ERR_NONFATAL',
    warnFrom: 1,
  },
  pcieFatal: {
    kind: 'pcie',
    one: 'fatal PCIe error',
    many: 'fatal PCIe errors',
    cause: SLOT,
    file: 'aer_dev_fatal',
    line: 'TOTAL_ERR_FATAL',
    warnFrom: 1,
  },
};

interface PortFault {
  readonly counter: PortCounterName;
  readonly lastHour: number;
  readonly observedMs: number;
}

/** Its counters that grew by more than is normal within the last hour. */
export const portFaults = ({ counters }: PortHealth): readonly PortFault[] =>
  counters.flatMap(({ counter, lastHour, observedMs }) =>
    typeof lastHour === 'number' && lastHour >= PORT_COUNTERS[counter].warnFrom
      ? [{ counter, lastHour, observedMs }]
      : [],
  );

/** "480 symbol errors" */
export const portFaultText = ({ counter, lastHour }: Pick<PortFault, 'counter' | 'lastHour'>): string =>
  counted(lastHour, PORT_COUNTERS[counter].one, PORT_COUNTERS[counter].many);

/** "in the last hour" */
export const withinText = (faults: readonly Pick<PortFault, 'observedMs'>[]): string => {
  const observedMs = maximumOf(faults.map(fault => fault.observedMs));
  return observedMs >= HOUR_MS ? 'in the last hour' : `in the last ${figureText(formatAge(observedMs))}`;
};

/** How often a port was lost and came back. */
export const flapsOf = (faults: readonly PortFault[]): number =>
  maximumOf([0, ...faults.map(({ counter, lastHour }) => lossesBy(counter, lastHour) ?? 0)]);

/** Whether it counts how often a port was lost. */
export const countsLosses = (counter: PortCounterName): boolean => lossesBy(counter, 0) !== undefined;

/** How often a port was lost, by what a counter of that grew by; undefined for other counters. */
export const lossesBy = (counter: PortCounterName, grown: number): number | undefined =>
  // Each loss and each return is a change.
  counter === 'carrierChanges' ? Math.floor(grown / 2) : counter === 'linkDowned' ? grown : undefined;

interface FaultyCount {
  readonly name: string;
  /** "symbol errors" */
  readonly counted: string;
  readonly total: number;
  readonly lastHour: PortHealth['counters'][number]['lastHour'];
  readonly isFault: boolean;
}

/** Counters that are not zero, those first that a person should look at. */
export const faultyCounts = (health: NodePortHealth | undefined): readonly FaultyCount[] => {
  const { ports = [], slots = [] } = health ?? {};
  return [...ports, ...(isUnknown(slots) ? [] : slots)]
    .flatMap(port => {
      const faults = new Set(portFaults(port).map(({ counter }) => counter));
      return port.counters.flatMap(({ counter, total, lastHour }): readonly FaultyCount[] => {
        const { normal = 0, many } = PORT_COUNTERS[counter];
        return isUnknown(total) || total <= normal
          ? []
          : [{ name: port.name, counted: many, total, lastHour, isFault: faults.has(counter) }];
      });
    })
    .toSorted((a, b) => Number(b.isFault) - Number(a.isFault));
};

/** Its row of the table of kinds. */
export const PORT_HEALTH_KINDS = {
  'portHealth.gathered': {
    class: 'live',
    field: 'nodePortHealths',
    shape: 'node',
    entriesMax: 1,
    schema: gathered(portHealthSchema),
    title: 'Port health',
    absentOn: { macos: 'macOS does not count it' },
    isSteady: true,
    isSignOfLife: true,
    texts: {
      source: 'plain',
      name: 'interface',
      kind: 'plain',
      interfaceName: 'interface',
      counter: 'plain',
    },
  },
} as const;

const HOUR_MS = 3_600_000;
