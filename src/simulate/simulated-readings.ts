// What a simulated machine reports of itself: a row for each reading, with when it is reported, and why a machine has none.

import { EVENT_KINDS, type Fact, factOf } from '../core/event-kinds.ts';
import type { MachineSketch } from '../core/kind-row.ts';
import { gatheredKind, NODE_READING_KINDS, type ReadingKind } from '../core/node/reading.ts';
import { diskTrafficFacts } from './disk-traffic-reading.ts';
import { configFact, gpuInventories, identityOf, networkOf, simulated } from './durable-readings.ts';
import { engineFact } from './engine-reading.ts';
import { gpuErrorFacts, gpuHealthFacts } from './gpu-health-reading.ts';
import {
  diskFact,
  gpuLoadFacts,
  type Moment,
  memoryFact,
  pressureFacts,
  systemFact,
} from './live-readings.ts';
import { seedOf, unrest } from './noise.ts';
import { portHealthFacts } from './port-health-reading.ts';
import { rdmaDevicesOf, thunderboltOf } from './port-readings.ts';
import type { Site } from './site.ts';
import { topologyFacts } from './topology-reading.ts';
import { trafficReporter } from './traffic-reading.ts';

export interface SimulatedReading {
  readonly reading: ReadingKind;
  /** At the start and after a change of the machine, and confirmed in between; at every tick; or every time others are confirmed. */
  readonly at: 'start' | 'tick' | 'renewal';
  /** Empty: the machine has none. */
  readonly facts: (moment: Moment) => readonly Fact[];
  /** Why it has none, unless its platform never has one. */
  readonly none?: string;
}

/** In the order in which they are reported. */
export const simulatedReadings = (site: Site, plimsollVersion: string): readonly SimulatedReading[] => {
  const traffic = trafficReporter(site);
  const serves = site.machine.quirks?.servesModel === true;
  const own: readonly SimulatedReading[] = [
    {
      reading: 'identity',
      at: 'start',
      facts: () => [{ kind: 'identity.gathered', payload: simulated(identityOf(site, plimsollVersion)) }],
    },
    {
      reading: 'gpus',
      at: 'start',
      facts: () =>
        gpuInventories(site).map((gpus): Fact => ({ kind: 'gpus.gathered', payload: simulated(gpus) })),
    },
    {
      reading: 'network',
      at: 'start',
      facts: () => [{ kind: 'network.gathered', payload: simulated(networkOf(site)) }],
    },
    {
      reading: 'thunderbolt',
      at: 'start',
      facts: () => {
        const value = thunderboltOf(site);
        return value === undefined ? [] : [{ kind: 'thunderbolt.gathered', payload: simulated(value) }];
      },
      none: 'no Thunderbolt controller',
    },
    {
      reading: 'rdmaDevices',
      at: 'start',
      facts: () => {
        const value = rdmaDevicesOf(site);
        return value === undefined ? [] : [{ kind: 'rdmaDevices.gathered', payload: simulated(value) }];
      },
      none: 'no RDMA device',
    },
    { reading: 'config', at: 'start', facts: () => [configFact(site)] },
    { reading: 'memory', at: 'tick', facts: moment => [memoryFact(site, moment)] },
    { reading: 'system', at: 'tick', facts: moment => [systemFact(site, moment)] },
    { reading: 'traffic', at: 'tick', facts: moment => [traffic(moment)] },
    { reading: 'gpuLoads', at: 'tick', facts: moment => gpuLoadFacts(site, moment) },
    { reading: 'diskTraffic', at: 'tick', facts: moment => diskTrafficFacts(site, moment) },
    { reading: 'disk', at: 'renewal', facts: moment => [diskFact(site, moment)] },
    { reading: 'pressure', at: 'renewal', facts: moment => pressureFacts(site, moment) },
    { reading: 'gpuHealths', at: 'renewal', facts: () => gpuHealthFacts(site) },
    { reading: 'portHealth', at: 'renewal', facts: () => portHealthFacts(site) },
    { reading: 'topology', at: 'renewal', facts: () => topologyFacts(site), none: 'no GPU on PCI' },
    {
      reading: 'gpuErrors',
      at: 'renewal',
      facts: moment => gpuErrorFacts(site, moment),
      none: 'no NVIDIA GPU',
    },
    // One that serves a model reports it together with its requests.
    { reading: 'engines', at: 'renewal', facts: () => (serves ? [] : [engineFact(undefined)]) },
    { reading: 'container', at: 'renewal', facts: () => [], none: 'neither limited nor a pod' },
  ];
  const listed = new Set(own.map(({ reading }) => reading));
  return [
    ...own,
    ...NODE_READING_KINDS.filter(reading => !listed.has(reading)).map(
      (reading): SimulatedReading => ({
        reading,
        at: 'renewal',
        facts: moment => declaredFacts(reading, sketchOf(site, moment)),
        none: 'not simulated',
      }),
    ),
  ];
};

/** A reading whose row of the table of kinds has its simulated value. */
const declaredFacts = (
  reading: (typeof NODE_READING_KINDS)[number],
  machine: MachineSketch,
): readonly Fact[] => {
  const kind = gatheredKind(reading);
  const payload = EVENT_KINDS[kind].simulated?.(machine);
  return payload === undefined ? [] : [factOf(kind, payload)];
};

const sketchOf = ({ machine, hardware }: Site, { seed, seconds }: Moment): MachineSketch => ({
  platform: hardware.operatingSystem.platform,
  cpuLoad: machine.load.cpu,
  unrest: name => unrest(seedOf(seed, `${machine.name} ${name}`), seconds),
  reported: simulated,
});
