// Links that carry far less than they should, or than they did last week, and nodes that reach each other in
// one direction only.

import { ageMsOf, entriesOf } from '../entry-maps.ts';
import { maximumOf } from '../extremes.ts';
import { formatAge } from '../figure/duration.ts';
import { counted, figureText, formatBitsPerSecond, formatNominalBitsPerSecond } from '../figure/figure.ts';
import type { NodeId } from '../ids.ts';
import { type ConnectionFacts, type LostPath, rateFrom } from '../link/link-facts.ts';
import { LONG_QUEUE_NS, queueText, worstQueue } from '../link/link-queue.ts';
import { linkShortfall } from '../link/link-shortfall.ts';
import { endsText, typeText } from '../link/link-text.ts';
import { isCarrying, isSampled, type LinkView } from '../link/link-view.ts';
import type { DeadEnd } from '../link/loss-cause.ts';
import { lossCauseText, pathEndsText } from '../link/loss-text.ts';
import { isNodeLoss } from '../link/node-loss.ts';
import { slowPath } from '../link/slow-path.ts';
import type { NodeView } from '../node/node-view.ts';
import { knownValue } from '../node/reading-view.ts';
import { unusualLinkFigures, unusualText } from '../probe/unusual-figures.ts';
import { pushAll } from '../push-all.ts';
import type { State } from '../state.ts';
import { plainSentence, sentence } from '../text/sentence.ts';
import { shellCommand } from '../text/shell-words.ts';
import { ITEMS_OF_TURN, type Turns } from '../turns.ts';
import { isKnown } from '../unknown.ts';
import { lossWarning, mtuWarning } from './path-warnings.ts';
import type { FoundWarning } from './warning.ts';

interface LinkSources {
  readonly state: State;
  readonly views: readonly NodeView[];
  readonly links: readonly LinkView[];
  readonly nowMs: number;
}

export function* linkWarnings(sources: LinkSources): Turns<readonly FoundWarning[]> {
  const names = new Map(sources.views.map(view => [view.nodeId, view]));
  const found: FoundWarning[] = [];
  for (const [index, link] of sources.links.entries()) {
    if (index % ITEMS_OF_TURN === 0) yield;
    const [one, other] = link.nodes.map(node => names.get(node));
    if (one === undefined || other === undefined) continue;
    pushAll(found, lostWarnings(sources, link, [one, other]));
    if (!isCarrying(link.standing)) continue;
    pushAll(found, [
      ...slowWarning(sources.state, link, one, other),
      ...oneWayWarning(sources, link, one, other),
    ]);
  }
  return found;
}

/**
 * Paths that were open and are lost, until they return or a person forgets them. All paths over one dead
 * cable give one warning.
 */
const lostWarnings = (
  { state, nowMs }: LinkSources,
  link: LinkView,
  [one, other]: readonly [NodeView, NodeView],
): readonly FoundWarning[] =>
  [...Map.groupBy(link.lost, interfacesOfLoss).values()].flatMap((paths): readonly FoundWarning[] => {
    const [best] = paths;
    if (best === undefined) return [];
    const { path, of, reason, cause } = best;
    const nameOf = (id: NodeId): string => (id === one.nodeId ? one : other).name;
    const causes = lossCauseText(cause, nameOf);
    const why = causes === '' ? `${reason}${hintText(state, best, nowMs)}` : causes;
    const lost = paths.map(each => `${typeText(each.of)} ${pathEndsText(each.of, link.nodes)}`);
    const lostAtMs = maximumOf(paths.map(each => each.lostAtMs));
    const dead = cause.deadEnds.find(({ kind }) => kind === 'gone') ?? cause.deadEnds[0];
    const at = dead?.node === other.nodeId ? other : one;
    return [
      {
        id: `link lost ${link.key} ${path}`,
        level: 'danger',
        nodes: link.nodes,
        title: sentence`${one.name} and ${other.name}: ${lost.join(' and ')} ${plainSentence(lost.length === 1 ? 'is' : 'are')} lost`,
        why: sentence`Lost ${plainSentence(ageLabel(nowMs - lostAtMs))} ago: ${why}. ${lastMeasured(of, nameOf, nowMs)}`,
        on: at.name,
        command: dead === undefined ? 'plimsoll doctor' : deadEndCommand(at, dead),
      },
    ];
  });

/**
 * Common key of all paths over one cable, if its ends show that it is dead; otherwise each path is lost by
 * itself.
 */
const interfacesOfLoss = ({ path, cause: { deadEnds } }: LostPath): string =>
  deadEnds.length === 0
    ? path
    : deadEnds
        .map(({ node, interfaceName, kind }) => `${node} ${interfaceName} ${kind}`)
        .sort()
        .join(' ');

const lastMeasured = (facts: ConnectionFacts, nameOf: (id: NodeId) => string, nowMs: number): string => {
  const { source, sink, measuredAtMs } = facts;
  const known = ([sink, source] as const).flatMap(to => {
    const bitsPerSecond = rateFrom(facts, to === sink ? source : sink);
    return bitsPerSecond === undefined ? [] : [`${rate(bitsPerSecond)} to ${nameOf(to)}`];
  });
  return known.length === 0
    ? 'It was never measured.'
    : `Last measured: ${known.join(', ')}, ${ageLabel(nowMs - measuredAtMs)} ago.`;
};

/**
 * If both ports have a carrier, the cause is between them. Not before the readings of both have had time to
 * show that a cable was unplugged, nor while it has just been plugged in again and its connections are about
 * to open.
 */
const hintText = (state: State, { of, lostAtMs, cause }: LostPath, nowMs: number): string => {
  const changedAtMs = [of.source, of.sink].map(node => {
    const entry = state.nodeNetworks[node];
    return entry === undefined ? lostAtMs : nowMs - ageMsOf(entry, nowMs);
  });
  return cause.hasCarriers && nowMs - maximumOf([lostAtMs, ...changedAtMs]) >= CAUSE_SETTLED_MS
    ? '; both ports report a carrier, so check the switch, a firewall or the address'
    : '';
};

/** An interface that is gone has nothing to show: the kernel's log contains why it disappeared. */
const deadEndCommand = ({ identity }: NodeView, { interfaceName, kind }: DeadEnd): string => {
  const isMac = knownValue(identity)?.operatingSystem.platform === 'macos';
  if (kind === 'gone')
    return isMac
      ? 'networksetup -listallhardwareports'
      : shellCommand`sudo dmesg -T | grep -F -e ${interfaceName}`;
  return isMac ? shellCommand`ifconfig ${interfaceName}` : shellCommand`ip -s link show dev ${interfaceName}`;
};

const ageLabel = (ageMs: number): string => figureText(formatAge(Math.max(0, ageMs)));

/**
 * The result for one link, computed once while the link, the names and interfaces of its ends and its usual figures stay
 * the same.
 */
const slowWarning = (
  state: State,
  link: LinkView,
  one: NodeView,
  other: NodeView,
): readonly FoundWarning[] => {
  const of = [one, other].flatMap(({ nodeId, name, network }) => [
    name,
    state.probeBaselines[nodeId],
    knownValue(network),
  ]);
  const cached = JUDGED.get(link);
  if (cached?.of.every((part, index) => part === of[index]) === true) return cached.found;
  const short = shortfallWarning(link, one, other);
  const slow = short.length > 0 ? short : weekWarning(state, link, one, other);
  const found = [
    ...slow,
    ...slowPathWarning(link, one, other),
    ...queueWarning(link, one, other),
    ...mtuWarning(link, one, other),
    ...lossWarning(link, one, other),
  ];
  JUDGED.set(link, { of, found });
  return found;
};

// Only a cache: a changed link is another object (link/link-view.ts), and of ten thousand few change.
const JUDGED = new WeakMap<
  LinkView,
  { readonly of: readonly unknown[]; readonly found: readonly FoundWarning[] }
>();

const shortfallWarning = (link: LinkView, one: NodeView, other: NodeView): readonly FoundWarning[] => {
  const nameOf = (id: NodeId): string => (id === one.nodeId ? one : other).name;
  const short = linkShortfall(link);
  if (short === undefined) return [];
  const [from, to] = short.direction === 'back' ? [other, one] : [one, other];
  const arrow = short.direction === 'both' ? `${one.name} and ${other.name}` : `${from.name} to ${to.name}`;
  const nominal = figureText(formatNominalBitsPerSecond(short.expected.bitsPerSecond));
  const against =
    short.expected.kind === 'negotiated'
      ? `It should carry near ${nominal} (${endsText(short.of, nameOf)})`
      : `The other direction carries ${rate(short.expected.bitsPerSecond)}${typeReason(short.of)}`;
  return [
    {
      id: `link short ${link.key}`,
      level: 'caution',
      nodes: link.nodes,
      title: sentence`${arrow}: ${plainSentence(rate(short.bitsPerSecond))} is far less than ${plainSentence(short.expected.kind === 'negotiated' ? 'it should be' : 'the other way')}`,
      why: sentence`${against}. A bad cable, a wrong port or other traffic may be the cause; measure again after a change.`,
      on: from.name,
      command: shellCommand`plimsoll probe link ${to.name}`,
    },
  ];
};

/** Its expected rate is unknown, but another path between the two carries far more. */
const slowPathWarning = (link: LinkView, one: NodeView, other: NodeView): readonly FoundWarning[] => {
  const slow = slowPath(link);
  if (slow === undefined) return [];
  const nameOf = (id: NodeId): string => (id === one.nodeId ? one : other).name;
  const [from, to] = slow.from === one.nodeId ? [one, other] : [other, one];
  return [
    {
      id: `link path ${link.key}`,
      level: 'caution',
      nodes: link.nodes,
      title: sentence`${from.name} to ${to.name}: ${plainSentence(rate(slow.bitsPerSecond))} on one path, ${plainSentence(rate(slow.other.bitsPerSecond))} on another`,
      why: sentence`The slower path is ${endsText(slow.of, nameOf)}${typeReason(slow.of)}; the faster one is ${endsText(slow.other.of, nameOf)}. A bad cable, a wrong port or other traffic may be the cause; measure again after a change.`,
      on: from.name,
      command: shellCommand`plimsoll probe link ${to.name}`,
    },
  ];
};

const typeReason = ({ carrier: { type } }: ConnectionFacts): string =>
  isKnown(type) ? '' : ` (type unknown: ${type.reason})`;

const weekWarning = (
  state: State,
  link: LinkView,
  one: NodeView,
  other: NodeView,
): readonly FoundWarning[] => {
  for (const { source, sink, connectionKey, isMeasuredHere } of link.connections) {
    // An address that is no longer measured keeps its last profile.
    if (!isMeasuredHere) continue;
    const [unusual] = unusualLinkFigures(state, source, { kind: 'link', sink, connectionKey });
    if (unusual === undefined) continue;
    const [from, to] = source === one.nodeId ? [one, other] : [other, one];
    const what = unusual.figure === 'roundTripNsP50' ? 'round trip' : `${WAYS[unusual.figure]} bandwidth`;
    return [
      {
        id: `link week ${link.key}`,
        level: 'caution',
        nodes: link.nodes,
        title: sentence`${from.name} to ${to.name}: ${plainSentence(what)} is ${plainSentence(unusualText(unusual))}`,
        why: sentence`Median of ${plainSentence(counted(unusual.count, 'measurement'))}: ${connectionKey.replace(' ', ' connection ')}. Something has changed since: a cable, a port, a setting or other traffic.`,
        on: from.name,
        command: shellCommand`plimsoll probe link ${to.name}`,
      },
    ];
  }
  return [];
};

/** About the connection with the longest queue. */
const queueWarning = (link: LinkView, one: NodeView, other: NodeView): readonly FoundWarning[] => {
  const worst = worstQueue(link);
  if (worst === undefined || worst.queueNs < LONG_QUEUE_NS) return [];
  const [from, to] = worst.of.source === one.nodeId ? [one, other] : [other, one];
  return [
    {
      id: `link queue ${link.key}`,
      level: 'caution',
      nodes: link.nodes,
      title: sentence`${from.name} to ${to.name}: ${plainSentence(queueText(worst.profile))}`,
      why: plainSentence(
        'Other traffic on this link waits that much longer while something is copied over it (bufferbloat). A shorter or managed queue at the bottleneck (fq_codel, CAKE), or a rate limit for the copy, fixes it.',
      ),
      on: from.name,
      command: shellCommand`plimsoll probe link ${to.name}`,
    },
  ];
};

/** Both ends send checks; if only one of them gets replies, a firewall is the usual reason. */
const oneWayWarning = (
  { state, views, nowMs }: LinkSources,
  link: LinkView,
  one: NodeView,
  other: NodeView,
): readonly FoundWarning[] => {
  // In a fleet one end may have chosen the other without being chosen by it.
  if (isSampled(views.length)) return [];
  // Decided from the rows of the link first: most links have both directions.
  const isSocketOf = (node: NodeId): boolean =>
    link.connections.some(({ source, connection }) => source === node && connection.kind === 'socket');
  if (isSocketOf(one.nodeId) === isSocketOf(other.nodeId)) return [];
  // If a cable was pulled, this end closes its connections before the other end's report becomes stale.
  if (![one, other].every(({ presence, silentMs }) => presence === 'live' && silentMs < SEEN_MS)) return [];
  if (!dependsOnOthers(state, one.nodeId) || !dependsOnOthers(state, other.nodeId)) return [];
  const there = socketsOf(state, one.nodeId, other.nodeId, nowMs);
  const back = socketsOf(state, other.nodeId, one.nodeId, nowMs);
  const [from, to, open] = there.count > 0 ? [one, other, there] : [other, one, back];
  if (open.oldestAgeMs < SETTLED_MS || !hasSettledLosses(state, [to.nodeId, from.nodeId], nowMs)) return [];
  return [
    {
      id: `one way ${link.key}`,
      level: 'caution',
      nodes: link.nodes,
      title: sentence`${from.name} reaches ${to.name}, but not the other way`,
      why: sentence`${from.name} does not answer ${to.name}. Most often a firewall on ${from.name} blocks the mesh's UDP and TCP. Only one direction can be measured.`,
      on: to.name,
      command: 'plimsoll doctor',
    },
  ];
};

/**
 * Connections that the end without replies had before: lost at least a minute ago, and not because the other
 * node was away. Until its connections to a node that has just restarted are open again, nothing is known
 * about a firewall.
 */
const hasSettledLosses = (state: State, [source, sink]: readonly [NodeId, NodeId], nowMs: number): boolean =>
  entriesOf(state.lostConnections[source]?.[sink])
    .filter(({ value: { connection } }) => connection.kind === 'socket')
    .every(
      entry => !isNodeLoss(entry.value.code) && entry.value.lostAgeMs + ageMsOf(entry, nowMs) >= SETTLED_MS,
    );

const dependsOnOthers = (state: State, node: NodeId): boolean => {
  const port = state.nodeEndpoints[node]?.value.reachabilityPort;
  return port !== undefined && isKnown(port);
};

const socketsOf = (
  state: State,
  source: NodeId,
  sink: NodeId,
  nowMs: number,
): { readonly count: number; readonly oldestAgeMs: number } => {
  const ages = Object.values(state.connections[source]?.[sink] ?? {})
    .filter(({ value }) => value.kind === 'socket')
    .map(entry => ageMsOf(entry, nowMs));
  return { count: ages.length, oldestAgeMs: maximumOf([0, ...ages]) };
};

const rate = (bitsPerSecond: number): string => figureText(formatBitsPerSecond(bitsPerSecond));

const WAYS = { uploadBitsPerSecond: 'upload', downloadBitsPerSecond: 'download' } as const;
/** Directions open one after the other when a node starts. */
const SETTLED_MS = 60_000;
/** Interfaces are read when the system reports a change, and every few seconds. */
const CAUSE_SETTLED_MS = 10_000;
/** Nodes publish their memory twice a second. */
const SEEN_MS = 3_000;
