// What is wrong with the links between the nodes of an engine, with what it costs: a slower network taken by itself,
// cables that are missing or crossed, settings that hold a cable back, and what nobody has measured.

import { maximumOf, minimumOf } from '../extremes.ts';
import { counted, figureText, formatBitsPerSecond, formatThreeDigits } from '../figure/figure.ts';
import { interfaceMtu, JUMBO_MTU, mtuFault, mtuFaultCost, mtuFaultText } from '../link/path-mtu.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import { inNumericOrder } from '../text/numeric-order.ts';
import { sentenceText } from '../text/sentence.ts';
import { shellCommand } from '../text/shell-words.ts';
import { capitalized } from '../text/single-line.ts';
import { isKnown, isUnknown, knownOr, type Reported, unknown } from '../unknown.ts';
import { rdmaWarnings } from '../warnings/rdma-warnings.ts';
import type { FoundWarning } from '../warnings/warning.ts';
import { isFabric } from './collective-settings.ts';
import type { EngineRow } from './engine-rows.ts';
import type { EngineWiring } from './engine-wiring.ts';
import { isThunderboltRdma } from './mlx-hosts.ts';
import {
  isPlatform,
  isThunderbolt,
  rateOf,
  type WiredEnd,
  type WiredPair,
  type WiredPath,
} from './wired-cluster.ts';
import type { WiringFinding, WiringStep } from './wiring-plan.ts';

/**
 * The most serious first, and of equal ones the greatest gain. What is wrong between two nodes that the settings do not connect is a
 * remark, and comes last.
 */
export const wiringFindings = (row: EngineRow, wiring: EngineWiring): readonly WiringFinding[] => {
  if (row.sendsNothing === true) return [];
  const tests = { carries: row.carries(wiring), takesByItself: row.takesByItself(wiring) };
  const joined = row.joins?.(wiring);
  const cables = row.usesThunderbolt === true ? missingCables(wiring) : [];
  const found: readonly Found[] = [
    ...wiring.pairs.flatMap(pair => {
      const isRemark = joined?.every(hop => !pair.nodes.every(node => hop.includes(node))) === true;
      const ofPair = [
        ...slowerByDefault(row, { ...tests, isRemark }, pair),
        ...unmeasured(row, tests, pair),
        ...(row.usesRdma === true ? [...unmeasuredRdma(row, pair), ...crossedPorts(pair)] : []),
        ...mtuFindings(tests, pair),
        ...cables.filter(({ nodes }) => nodes.join() === namesOf(pair).join()),
      ];
      return isRemark ? ofPair.map((one): Found => ({ ...one, level: 'note', isRemark })) : ofPair;
    }),
    ...(row.usesThunderbolt === true ? bridges(wiring) : []),
    ...(row.usesRdma === true
      ? rdmaWarnings(wiring.nodes).map(warning => ofWarning(warning, wiring.nodes))
      : []),
  ];
  return found
    .map((finding, at) => ({ finding, at }))
    .sort(
      (a, b) =>
        Number(a.finding.isRemark === true) - Number(b.finding.isRemark === true) ||
        LEVELS.indexOf(a.finding.level) - LEVELS.indexOf(b.finding.level) ||
        gainOf(b.finding) - gainOf(a.finding) ||
        a.at - b.at,
    )
    .map(({ finding }) => ({ isRemark: false, ...finding }))
    .slice(0, FINDINGS_MAX);
};

type Found = Omit<WiringFinding, 'isRemark'> & Partial<Pick<WiringFinding, 'isRemark'>>;

interface PathTests {
  readonly carries: (path: WiredPath) => boolean;
  readonly takesByItself: (path: WiredPath) => boolean;
}

const gainOf = ({ usedBitsPerSecond, possibleBitsPerSecond }: Found): number =>
  isKnown(usedBitsPerSecond) && isKnown(possibleBitsPerSecond)
    ? possibleBitsPerSecond / usedBitsPerSecond
    : 0;

const slowerByDefault = (
  row: EngineRow,
  { carries, takesByItself, isRemark }: PathTests & { readonly isRemark: boolean },
  pair: WiredPair,
): readonly Found[] => {
  const usual = pair.paths.find(takesByItself);
  const best = pair.paths.find(carries);
  if (usual === undefined || best === undefined || rateOf(usual) === 0) return [];
  const ratio = rateOf(best) / rateOf(usual);
  if (ratio < WORTH_NAMING) return [];
  return [
    {
      kind: 'slower-by-default',
      level: 'caution',
      nodes: namesOf(pair),
      title: `${together(pair)}: ${row.title} takes ${carrying(usual)} by itself, although ${carrying(best)} is there`,
      why: `That is ${times(ratio)} as much.${isRemark ? '' : ' These settings use it.'}`,
      usedBitsPerSecond: usual.bitsPerSecond,
      possibleBitsPerSecond: best.bitsPerSecond,
      steps: [],
    },
  ];
};

const unmeasured = (row: EngineRow, { carries }: PathTests, pair: WiredPair): readonly Found[] => {
  const best = pair.paths.find(carries);
  if (best !== undefined && isKnown(best.bitsPerSecond)) return [];
  const common = { nodes: namesOf(pair), steps: probeSteps(pair), possibleBitsPerSecond: NOT_MEASURED };
  if (best !== undefined)
    return [
      {
        ...common,
        kind: 'unmeasured',
        level: 'caution',
        title: `${together(pair)}: what ${best.typeName} carries is unknown`,
        why: `${capitalized(isUnknown(best.bitsPerSecond) ? best.bitsPerSecond.reason : '')}. Until it is measured, its place in the order is a guess.`,
        usedBitsPerSecond: best.bitsPerSecond,
      },
    ];
  const hasPath = pair.paths.length > 0;
  return [
    {
      ...common,
      kind: 'unreachable',
      level: 'danger',
      title: `${together(pair)}: ${row.title} has no path between them`,
      why: hasPath
        ? `There are paths (${pair.paths.map(({ typeName }) => typeName).join(', ')}), but no interface with an IPv4 address that reaches every node.`
        : 'Neither reaches the other on any address: a cable, a firewall or an address is missing.',
      usedBitsPerSecond: NOT_MEASURED,
    },
  ];
};

const unmeasuredRdma = (row: EngineRow, pair: WiredPair): readonly Found[] => {
  const takes = row.usesThunderbolt === true ? isThunderboltRdma : isFabric;
  const rdma = pair.paths.find(path => takes(path) && isUnknown(path.bitsPerSecond));
  if (rdma === undefined || !isUnknown(rdma.bitsPerSecond)) return [];
  const socket = pair.paths.find(({ kind }) => kind === 'socket');
  return [
    {
      kind: 'rdma-unmeasured',
      level: 'note',
      nodes: namesOf(pair),
      title: `${together(pair)}: RDMA is available on ${interfacesText(rdma)}, and not measured`,
      why: `${capitalized(rdma.bitsPerSecond.reason)}.`,
      usedBitsPerSecond: socket?.bitsPerSecond ?? NOT_MEASURED,
      possibleBitsPerSecond: rdma.negotiatedBitsPerSecond,
      steps: probeSteps(pair),
    },
  ];
};

/**
 * NCCL joins adapters of equal position, so the nth of one node should lead to the nth of the other. Behind a switch a
 * port leads to several, and there is nothing to cross.
 */
const crossedPorts = (pair: WiredPair): readonly Found[] => {
  const cables = pair.paths
    .filter(isFabric)
    .flatMap(({ ends: [one, other] }) =>
      isKnown(one.interfaceName) && isKnown(other.interfaceName)
        ? [{ from: one.interfaceName, to: other.interfaceName }]
        : [],
    )
    .sort((a, b) => inNumericOrder(a.from, b.from));
  const isPaired = [cables.map(({ from }) => from), cables.map(({ to }) => to)].every(
    names => new Set(names).size === names.length,
  );
  const isCrossed = cables.some(({ to }, at) => inNumericOrder(cables[at - 1]?.to ?? to, to) > 0);
  if (!isPaired || !isCrossed) return [];
  return [
    {
      kind: 'crossed-ports',
      level: 'caution',
      nodes: namesOf(pair),
      title: `${together(pair)}: the cables of their RDMA ports are crossed`,
      why: `${cables.map(({ from, to }) => `${from} leads to ${to}`).join(', ')}. NCCL joins ports of equal position. Exchange the plugs at one end.`,
      usedBitsPerSecond: NOT_MEASURED,
      possibleBitsPerSecond: NOT_MEASURED,
      steps: [],
    },
  ];
};

const mtuFindings = ({ carries }: PathTests, pair: WiredPair): readonly Found[] =>
  pair.paths
    .filter(({ kind }) => kind === 'socket')
    .flatMap((path): readonly Found[] => {
      const [one, other] = path.ends;
      const fault = mtuFault({
        ...path,
        ends: [interfaceMtu(one.node, one.interfaceName), interfaceMtu(other.node, other.interfaceName)],
        ways: path.mtuBytes,
      });
      if (fault === undefined || fault.kind === 'unknown') return [];
      const isSmall = fault.kind === 'small';
      if (isSmall && !carries(path)) return [];
      const bytes = isSmall ? JUMBO_MTU : fault.kind === 'ends' ? maximumOf(fault.bytes) : undefined;
      return [
        {
          kind: isSmall ? 'small-mtu' : 'mtu-mismatch',
          level: isSmall ? 'note' : 'caution',
          nodes: namesOf(pair),
          title: `${together(pair)}, ${interfacesText(path)}: ${mtuFaultText(fault)}`,
          why: mtuFaultCost(fault),
          usedBitsPerSecond: path.bitsPerSecond,
          possibleBitsPerSecond: isSmall ? fault.possibleBitsPerSecond : NOT_MEASURED,
          steps: bytes === undefined ? [] : [one, other].flatMap(end => mtuStep(end, bytes)),
        },
      ];
    });

const mtuStep = ({ node, interfaceName }: WiredEnd, bytes: number): readonly WiringStep[] => {
  if (!isKnown(interfaceName)) return [];
  const command = isPlatform(node, 'macos')
    ? shellCommand`sudo networksetup -setMTU ${interfaceName} ${bytes}`
    : shellCommand`sudo ip link set dev ${interfaceName} mtu ${bytes}`;
  return [{ on: node.name, command }];
};

/** Of nodes that all have a Thunderbolt cable to another one: those two that have none between them. */
const missingCables = ({ nodes, pairs }: EngineWiring): readonly Found[] => {
  const joined = pairs.filter(({ paths }) => paths.some(isThunderbolt));
  const isOnMesh = (node: NodeView): boolean => joined.some(({ nodes: ends }) => ends.includes(node));
  if (nodes.length < 3 || !nodes.every(isOnMesh)) return [];
  const cableRates = joined.map(({ paths }) => rateOf(paths.find(isThunderbolt))).filter(bits => bits > 0);
  const possible = cableRates.length === 0 ? NOT_MEASURED : minimumOf(cableRates);
  return pairs
    .filter(pair => !joined.includes(pair))
    .map(
      (pair): Found => ({
        kind: 'missing-cable',
        level: 'caution',
        nodes: namesOf(pair),
        title: `${together(pair)}: no Thunderbolt cable between them`,
        why: `${counted(joined.length, 'pair')} of ${pairs.length} have one. JACCL without a ring needs a cable between every two; its ring, and the ring over TCP, do not.`,
        usedBitsPerSecond: pair.paths[0]?.bitsPerSecond ?? NOT_MEASURED,
        possibleBitsPerSecond: possible,
        steps: [],
      }),
    );
};

const bridges = ({ nodes, pairs }: EngineWiring): readonly Found[] =>
  nodes.flatMap((node): readonly Found[] => {
    const bridge = knownValue(node.thunderbolt)?.bridge;
    const hasCable = pairs.some(({ nodes: ends, paths }) => ends.includes(node) && paths.some(isThunderbolt));
    if (bridge?.kind !== 'present' || bridge.isEnabled !== true || !hasCable) return [];
    return [
      {
        kind: 'bridge',
        level: 'caution',
        nodes: [node.name],
        title: `${node.name}: Thunderbolt Bridge is on`,
        why: 'It joins all ports into one interface: RDMA does not work through it, and a port in it has no address of its own.',
        usedBitsPerSecond: NOT_MEASURED,
        possibleBitsPerSecond: NOT_MEASURED,
        steps: [
          {
            on: node.name,
            command: shellCommand`sudo networksetup -setnetworkserviceenabled ${knownOr(bridge.serviceName, 'Thunderbolt Bridge')} off`,
          },
        ],
      },
    ];
  });

const ofWarning = (
  { level, nodes: concerned, title, why, on, command }: FoundWarning,
  nodes: readonly NodeView[],
): Found => ({
  kind: 'rdma',
  level,
  nodes: nodes.filter(({ nodeId }) => concerned.includes(nodeId)).map(({ name }) => name),
  title: sentenceText(title),
  why: sentenceText(why),
  usedBitsPerSecond: NOT_MEASURED,
  possibleBitsPerSecond: NOT_MEASURED,
  steps: on === undefined || command === undefined ? [] : [{ on, command }],
});

/** The probe runs from one end and measures both directions. */
const probeSteps = ({ nodes: [one, other] }: WiredPair): readonly WiringStep[] => [
  { on: one.name, command: shellCommand`plimsoll probe link ${other.name}` },
];

const namesOf = ({ nodes }: WiredPair): readonly string[] => nodes.map(({ name }) => name);
const together = (pair: WiredPair): string => namesOf(pair).join(' and ');
const interfacesText = ({ ends }: WiredPath): string =>
  ends.map(({ interfaceName }) => knownOr(interfaceName, 'an unknown interface')).join(' – ');
/** "Wi-Fi (en1 – en1, 840 Mb/s)": both paths may be of one type. */
const carrying = (path: WiredPath): string =>
  `${path.typeName} (${interfacesText(path)}, ${figureText(formatBitsPerSecond(rateOf(path)))})`;
const times = (ratio: number): string =>
  `${ratio >= 10 ? Math.round(ratio) : formatThreeDigits(ratio)} times`;

const LEVELS: readonly WiringFinding['level'][] = ['danger', 'caution', 'note'];
const NOT_MEASURED: Reported<number> = unknown('not measured');
/** More than the spread between two probes of one cable. */
const WORTH_NAMING = 1.25;
/** More than a person reads; each pair has a few at most. */
const FINDINGS_MAX = 200;
