// The first stage: the nodes are there, their sources report, and comparable nodes run the same versions.

import { formatAge } from '../figure/duration.ts';
import { counted, figureText, ofCount } from '../figure/figure.ts';
import { type NodeView, presenceLabel } from '../node/node-view.ts';
import { PORT_COUNTERS } from '../node/port-health.ts';
import { NODE_READING_KINDS, readingTitle } from '../node/reading.ts';
import { knownValue, type ReadingView } from '../node/reading-view.ts';
import { isKnown, knownOr } from '../unknown.ts';
import type { AcceptanceCheck, AcceptanceSources } from './acceptance-check.ts';
import { type Judged, judgedBy, undecided } from './limit.ts';
import { faultsOfLastHour } from './port-checks.ts';

const nodesUp = ({ nodes, expectedNodes }: AcceptanceSources): readonly Judged[] => [
  ...nodes.map(view => {
    const label = presenceLabel(view);
    const subject = { subject: view.name, nodes: [view.name] };
    // A node that is only late may be busy measuring.
    return view.presence !== 'offline'
      ? judgedBy(subject, 'pass', { reason: label })
      : judgedBy(subject, 'fail', {
          reason: Number.isFinite(view.silentMs)
            ? `${label}, last seen ${figureText(formatAge(view.silentMs))} ago`
            : `${label}, not seen by this daemon`,
        });
  }),
  ...expectedNodes
    .filter(name => !nodes.some(view => view.name === name || view.nodeId === name))
    .map(name =>
      judgedBy({ subject: name, nodes: [name] }, 'fail', {
        reason: 'the plan has this node, and the cluster does not',
      }),
    ),
];

const sourcesReport = ({ nodes }: AcceptanceSources): readonly Judged[] =>
  nodes.filter(isThere).map(view => {
    const readings = readingsOf(view);
    const late = readings.filter(({ reading }) => isLate(reading));
    const missing = readings.flatMap(({ title, reading }) =>
      reading.kind === 'unavailable' ? `${title}: ${reading.reason}` : [],
    );
    const subject = { subject: view.name, nodes: [view.name] };
    if (late.length > 0)
      return judgedBy(subject, 'fail', {
        value: late.length,
        limit: 0,
        reason: late
          .map(({ title, reading }) => (reading.kind === 'stale' ? `${title}: ${reading.reason}` : title))
          .join('; '),
      });
    if (missing.length > 0) return undecided(subject, missing.join('; '));
    const current = readings.filter(({ reading }) => reading.kind === 'current');
    return judgedBy(subject, 'pass', {
      value: 0,
      limit: 0,
      reason: `${counted(current.length, 'reading')} ${ofCount(current.length, 'is', 'are')} current`,
    });
  });

/** A single late reading of a busy machine is no fault of its source. */
const isLate = (reading: ReadingView<unknown>): boolean =>
  reading.kind === 'stale' && (reading.code !== 'no-answer' || reading.ageMs > LATE_MS);

interface TitledReading {
  readonly title: string;
  readonly reading: ReadingView<unknown>;
}

const readingsOf = (view: NodeView): readonly TitledReading[] => [
  ...NODE_READING_KINDS.map(kind => ({ title: readingTitle(kind), reading: view[kind] })),
  ...view.gpus.flatMap(({ inventory, loads, healths }) => [
    { title: readingTitle('gpus'), reading: inventory },
    { title: readingTitle('gpuLoads'), reading: loads },
    { title: readingTitle('gpuHealths'), reading: healths },
  ]),
];

/** One version of one thing on one node; nodes are compared within a group. */
interface Versioned {
  readonly what: string;
  readonly group: string;
  readonly version: string;
  readonly node: string;
}

const versionsEqual = ({ nodes }: AcceptanceSources): readonly Judged[] => {
  const groups = Map.groupBy(nodes.filter(isThere).flatMap(versionsOf), ({ group }) => group);
  return [...groups.values()].flatMap((all): readonly Judged[] => {
    const [first] = all;
    const names = [...new Set(all.map(({ node }) => node))];
    if (first === undefined || names.length < 2) return [];
    const versions = Map.groupBy(all, ({ version }) => version);
    const subject = { subject: first.what, nodes: names };
    const figures = { value: versions.size, limit: 1 };
    return [
      versions.size === 1
        ? judgedBy(subject, 'pass', {
            ...figures,
            reason: `${first.version} on ${counted(names.length, 'node')}`,
          })
        : judgedBy(subject, 'fail', {
            ...figures,
            reason: [...versions]
              .toSorted(([, a], [, b]) => b.length - a.length)
              .map(
                ([version, of]) =>
                  `${version} on ${[...new Set(of.map(({ node }) => node))].slice(0, NAMED).join(', ')}`,
              )
              .join('; '),
          }),
    ];
  });
};

const versionsOf = (view: NodeView): readonly Versioned[] => {
  const identity = knownValue(view.identity);
  if (identity === undefined) return [];
  const { plimsollVersion, model, chip, operatingSystem } = identity;
  const node = view.name;
  const machine = `${knownOr(model, '?')}, ${knownOr(chip, '?')}`;
  const system = [operatingSystem.version, operatingSystem.build].filter(isKnown).join(' ');
  return [
    { what: 'Plimsoll', group: 'plimsoll', version: plimsollVersion, node },
    ...(system === ''
      ? []
      : [
          {
            what: `${operatingSystem.name} on ${machine}`,
            group: `system ${machine}`,
            version: `${operatingSystem.name} ${system}`,
            node,
          },
        ]),
    ...view.gpus.flatMap(({ devices }) =>
      devices.flatMap(({ device: { name, driver } }) =>
        isKnown(driver)
          ? [{ what: `driver of ${name}`, group: `driver ${name}`, version: driver, node }]
          : [],
      ),
    ),
  ];
};

const isThere = ({ presence }: NodeView): boolean => presence !== 'offline';

export const READING_CHECKS: readonly AcceptanceCheck[] = [
  {
    id: 'node-up',
    stage: 'readings',
    title: 'Node',
    unit: '',
    threshold: 'No node is stopped or offline, and every node of the plan is there.',
    judge: nodesUp,
  },
  {
    id: 'readings',
    stage: 'readings',
    title: 'Readings',
    unit: '',
    threshold: 'No source of the node fails, or has sent nothing for half a minute.',
    judge: sourcesReport,
  },
  {
    id: 'port-faults',
    stage: 'readings',
    title: 'Faults of cables and slots',
    unit: '',
    threshold: `Of each port and slot, within the last hour, at most: ${Object.values(PORT_COUNTERS)
      .map(({ warnFrom, one, many }) => counted(warnFrom - 1, one, many))
      .join(', ')}.`,
    judge: faultsOfLastHour,
  },
  {
    id: 'versions',
    stage: 'readings',
    title: 'Versions',
    unit: '',
    threshold:
      'One version of Plimsoll; one of the operating system on machines of one model; one driver for devices of one name.',
    judge: versionsEqual,
  },
];

const NAMED = 8;
const LATE_MS = 30_000;
