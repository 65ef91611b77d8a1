// What the counters of cables and slots grew by within the last hour: a cable that fails now and then looks sound in every other
// reading. A counter that cannot be read is undecided with its reason.

import { formatAge } from '../figure/duration.ts';
import { figureText } from '../figure/figure.ts';
import type { NodeView } from '../node/node-view.ts';
import { PORT_COUNTERS, type PortHealth, portFaultText, withinText } from '../node/port-health.ts';
import { knownValue } from '../node/reading-view.ts';
import { isUnknown } from '../unknown.ts';
import { isWireless } from '../warnings/port-warnings.ts';
import type { AcceptanceCheck, AcceptanceSources } from './acceptance-check.ts';
import { SUBJECT_LENGTH_MAX } from './accepted-device.ts';
import { type Judged, judgedBy, type Subject, undecided } from './limit.ts';

type PortCounter = PortHealth['counters'][number];

/** A counter of one port or slot. */
interface CountedPart extends Subject, PortCounter {
  readonly nodeId: string;
  readonly name: string;
}

/** Of ports that may carry something: not those without a cable, and no radios, which come and go with reception. */
export const countedParts = ({ nodes }: AcceptanceSources): readonly CountedPart[] =>
  nodes
    .filter(({ presence }) => presence !== 'offline')
    .flatMap(view => {
      const health = knownValue(view.portHealth);
      if (health === undefined) return [];
      const idle = idleInterfaces(view);
      const ports = health.ports.filter(
        ({ name, kind, counters }) =>
          kind !== 'interface' ||
          (!isWireless(view, name) &&
            (!idle.has(name) || counters.some(({ lastHour }) => !isUnknown(lastHour) && lastHour > 0))),
      );
      return [...ports, ...(isUnknown(health.slots) ? [] : health.slots)].flatMap(port =>
        partsOf(view, port),
      );
    });

const idleInterfaces = ({ network }: NodeView): ReadonlySet<string> =>
  new Set((knownValue(network)?.interfaces ?? []).flatMap(({ name, isUp }) => (isUp === false ? name : [])));

const partsOf = (
  { name, nodeId }: NodeView,
  { name: of, interfaceName, counters }: PortHealth,
): readonly CountedPart[] => {
  const port = `${name} ${interfaceName === undefined ? of : `${interfaceName} (${of})`}`;
  return counters.map(counter => ({
    ...counter,
    nodeId,
    name: of,
    subject: `${port}, ${PORT_COUNTERS[counter.counter].many}`.slice(0, SUBJECT_LENGTH_MAX),
    nodes: [name],
  }));
};

/** Nodes of whose cables or slots nothing is counted, and why. */
export const uncounted = ({ nodes }: AcceptanceSources): readonly Judged[] =>
  nodes
    .filter(({ presence }) => presence !== 'offline')
    .flatMap(({ name, portHealth }): readonly Judged[] => {
      const health = knownValue(portHealth);
      if (health !== undefined)
        return isUnknown(health.slots)
          ? [undecided({ subject: `${name}: PCIe slots`, nodes: [name] }, health.slots.reason)]
          : [];
      const reason = 'reason' in portHealth ? portHealth.reason : 'its daemon has not reported it';
      return [undecided({ subject: `${name}: cables and slots`, nodes: [name] }, reason)];
    });

export const faultsOfLastHour: AcceptanceCheck['judge'] = sources => {
  const neededMs = Math.min(HOUR_MS, sources.watchedMsMin);
  return [
    ...countedParts(sources).map((part): Judged => {
      const { counter, lastHour, observedMs } = part;
      if (isUnknown(lastHour)) return undecided(part, lastHour.reason);
      const limit = PORT_COUNTERS[counter].warnFrom - 1;
      if (lastHour <= limit && observedMs < neededMs)
        return undecided(
          { ...part, value: lastHour },
          `counted for ${ageText(observedMs)} only, of ${ageText(neededMs)}`,
        );
      return judgedBy(part, lastHour <= limit ? 'pass' : 'fail', {
        value: lastHour,
        limit,
        reason: `${portFaultText({ counter, lastHour })} ${withinText([part])}${lastHour <= limit ? '' : `: ${PORT_COUNTERS[counter].cause}`}`,
      });
    }),
    ...uncounted(sources),
  ];
};

const ageText = (ms: number): string => figureText(formatAge(ms));

const HOUR_MS = 3_600_000;
