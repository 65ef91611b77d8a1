// Derives the state of a fleet's page repeatedly: levels and sums each time, the roster only when names or
// groups have changed, link statistics and cable faults only when a link has.

import { type GroupBy, groupByText } from '../group/group-by.ts';
import { type Group, type GroupSources, groupViews, numberKey } from '../group/group-view.ts';
import { type NodePlace, nodePlace } from '../group/node-place.ts';
import type { NodeId } from '../ids.ts';
import { countLinks, type LinkView } from '../link/link-view.ts';
import { gpusOf, hostMemoryUse, memoryUseSum, modelMemoryUse, usedShare } from '../node/memory-use.ts';
import type { NodeView } from '../node/node-view.ts';
import { freshUse } from '../node/node-vitals.ts';
import { knownValue } from '../node/reading-view.ts';
import { runCount } from '../run/run-selectors.ts';
import { writtenOnce } from '../text/written-once.ts';
import { knownOr } from '../unknown.ts';
import type { LinkFault } from './cable-fault.ts';
import { fleetFaults, nodesOfFault, otherWarnings } from './fleet-faults.ts';
import { type FleetLink, fleetLink, slowestLinks, slowestOfCables } from './fleet-links.ts';
import type {
  FleetPicture,
  FleetRoster,
  GroupLevels,
  GroupSums,
  RoomAnswer,
  RosterCell,
} from './fleet-picture.ts';
import { type FleetPick, type FleetSelection, fleetSelection } from './fleet-selection.ts';
import { type GroupPairWays, slowestPair, type WaysBetween, waysBetween } from './fleet-ways.ts';
import { type JudgedLink, JudgedLinks } from './judged-link.ts';
import { type LinkListFilter, type LinkListing, linkListing } from './link-listing.ts';

export interface FleetSources extends GroupSources {
  readonly links: readonly LinkView[];
}

export class FleetWatch {
  readonly #judgedLinks = new JudgedLinks();
  #picture: FleetPicture | undefined;
  #places: GroupSources['places'];
  #judged: readonly JudgedLink[] | undefined;
  #linkFaults: readonly LinkFault[] = [];
  #slowest: FleetLink | undefined;
  #linkCounts: ReadonlyMap<NodeId, number> = new Map();
  #links: readonly LinkView[] = [];
  #linksOfWays: readonly LinkView[] = [];
  #waysAtMs = Number.NEGATIVE_INFINITY;
  #levelsAtMs = Number.NEGATIVE_INFINITY;
  #between: WaysBetween = { ways: [], pairs: [], within: [] };
  #linksOfPicture: FleetPicture['links'] = [];
  #groupOf: ReadonlyMap<NodeId, readonly number[]> = new Map();

  read(sources: FleetSources, by: GroupBy): FleetPicture {
    const groups = groupViews(sources, by).map(sortedByName);
    const roster = this.#roster(groups, groupByText(by), sources.places);
    const links = this.#read(sources.links);
    const isSame = roster === this.#picture?.roster;
    if (!isSame) this.#groupOf = groupIndexesOf(roster);
    this.#links = sources.links;
    const isDue = sources.nowMs - this.#waysAtMs >= (sources.views.length > MANY_NODES ? WAYS_OF_MANY_MS : 0);
    if (!isSame || (isDue && sources.links !== this.#linksOfWays)) {
      this.#waysAtMs = sources.nowMs;
      this.#linksOfWays = sources.links;
      this.#between = waysBetween(sources.links, this.#groupOf, groups.length);
      this.#linksOfPicture = slowestLinks(links, LINKS_LISTED_MAX);
    }
    const faults = fleetFaults(sources.views, this.#linkFaults, sources.nowMs);
    const pair = slowestPair(this.#between.pairs);
    const room = leastRoom(sources.views);
    const before = this.#picture;
    this.#picture = {
      roster,
      levels: this.#levels(groups.map(groupLevels), sources, isSame),
      sums: keptEach(
        before?.sums,
        groups.map(group => sumsOf(group, this.#linkCounts)),
      ),
      ways: this.#between.ways,
      totals: kept(before?.totals, {
        nodeCount: sources.views.length,
        linkCount: sources.links.length,
        runCount: runCount(sources.state),
        simulatedCount: sources.views.filter(view => knownValue(view.identity)?.isSimulated === true).length,
      }),
      faults: kept(before?.faults, {
        list: faults.slice(0, FAULTS_LISTED_MAX),
        count: faults.length,
        nodeCount: new Set(faults.flatMap(nodesOfFault)).size,
      }),
      answers: kept(before?.answers, {
        ...(this.#slowest === undefined ? {} : { slowestCable: this.#slowest }),
        ...(pair === undefined ? {} : { slowestPair: pair }),
        ...(room === undefined ? {} : { leastRoom: room }),
      }),
      links: this.#linksOfPicture,
      others: kept(before?.others, otherWarnings(sources.warnings).slice(0, OTHERS_LISTED_MAX)),
    };
    return this.#picture;
  }

  /** For each two groups that have links, and within each, by roster position. */
  get matrix(): readonly GroupPairWays[] {
    return [...this.#between.within, ...this.#between.pairs];
  }

  /** A page of the links of the last picture. */
  list(filter: LinkListFilter): LinkListing {
    const names = new Map<string, string>(
      this.#picture?.roster.groups.flatMap(({ cells }) =>
        cells.map(({ node, name }) => [node, name] as const),
      ),
    );
    return linkListing(this.#judged ?? [], node => names.get(node) ?? '', filter);
  }

  /** What is selected, from the links of the last picture; undefined if the node or group does not exist. */
  select(pick: FleetPick): FleetSelection | undefined {
    const { roster } = this.#picture ?? {};
    return roster === undefined
      ? undefined
      : fleetSelection(
          { roster, links: this.#links, groupOf: this.#groupOf, pairs: this.#between.pairs },
          pick,
        );
  }

  /** Faults of links change only when a link does. */
  #read(links: readonly LinkView[]): readonly JudgedLink[] {
    const judged = this.#judgedLinks.read(links);
    if (judged === this.#judged) return judged;
    this.#judged = judged;
    this.#linkCounts = countLinks(links);
    this.#linkFaults = judged.flatMap(({ loss, fault }) => [loss, fault]).filter(each => each !== undefined);
    const slowest = slowestOfCables(judged);
    this.#slowest = slowest === undefined ? undefined : fleetLink(slowest);
    return judged;
  }

  /**
   * With hundreds of nodes a cell is a few pixels high, and all of them change a little every second: drawing
   * that costs more than it is worth. A node that joins, leaves or is measured is shown at once.
   */
  #levels(
    now: readonly GroupLevels[],
    { views, nowMs }: FleetSources,
    isSameRoster: boolean,
  ): readonly GroupLevels[] {
    const before = this.#picture?.levels;
    const isDue = views.length <= MANY_LEVELS || nowMs - this.#levelsAtMs >= LEVELS_OF_MANY_MS;
    if (before === undefined || !isSameRoster || isDue) {
      this.#levelsAtMs = nowMs;
      return keptEach(before, now);
    }
    return now.map((one, group) => {
      const previous = before[group];
      return previous?.states === one.states ? previous : one;
    });
  }

  /** The same object while the roster is unchanged. */
  #roster(groups: readonly Group[], by: string, places: GroupSources['places']): FleetRoster {
    const before = this.#picture?.roster;
    const havePlaces = places !== undefined && places === this.#places;
    this.#places = places;
    if (havePlaces && before !== undefined && before.by === by && areMembers(before, groups)) return before;
    const made: FleetRoster = {
      by,
      groups: groups.map(({ id, name, reason, members }) => ({
        id,
        name,
        ...(reason === undefined ? {} : { reason }),
        cells: rosterCells(members, places ?? NO_PLACES),
      })),
    };
    return before !== undefined && isSameRoster(before, made) ? before : made;
  }
}

const groupIndexesOf = ({ groups }: FleetRoster): ReadonlyMap<NodeId, readonly number[]> => {
  const indexes = new Map<NodeId, number[]>();
  for (const [index, { cells }] of groups.entries())
    for (const { node } of cells) {
      const existing = indexes.get(node);
      if (existing === undefined) indexes.set(node, [index]);
      else existing.push(index);
    }
  return indexes;
};

/** Sorted so that a rack's tenth node comes after its ninth. */
const sortedByName = (group: Group): Group => ({
  ...group,
  members: group.members
    .map(view => ({ view, key: numberKey(view.name) }))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ view }) => view),
});

/** Returns the previous object if the content is equal, so that it is not drawn or sent again. */
const kept = <T extends object>(before: T | undefined, now: T): T =>
  before !== undefined && writtenOnce(before) === writtenOnce(now) ? before : now;

const keptEach = <T extends object>(before: readonly T[] | undefined, now: readonly T[]): readonly T[] =>
  now.map((one, index) => kept(before?.[index], one));

/** Whether these nodes have these cells, by name: the rest of a cell comes from their site, rack and kind. */
const areMembers = ({ groups: before }: FleetRoster, groups: readonly Group[]): boolean =>
  before.length === groups.length &&
  groups.every(({ id, name, members }, index) => {
    const previous = before[index];
    return (
      previous?.id === id &&
      previous.name === name &&
      previous.cells.length === members.length &&
      members.every((view, index) => {
        const cell = previous.cells[index];
        return cell?.node === view.nodeId && cell.name === view.name;
      })
    );
  });

const isSameRoster = (a: FleetRoster, b: FleetRoster): boolean =>
  a.by === b.by &&
  a.groups.length === b.groups.length &&
  a.groups.every((group, index) => {
    const other = b.groups[index];
    return (
      other !== undefined &&
      group.id === other.id &&
      group.name === other.name &&
      group.cells.length === other.cells.length &&
      group.cells.every((cell, index) => {
        const now = other.cells[index];
        return (
          now !== undefined &&
          cell.node === now.node &&
          cell.name === now.name &&
          cell.kind === now.kind &&
          cell.tags.join(' ') === now.tags.join(' ')
        );
      })
    );
  });

const sumsOf = (
  { totals, nodes, kind, members }: Group,
  linkCounts: ReadonlyMap<NodeId, number>,
): GroupSums => ({
  nodeCount: nodes.count,
  upCount: nodes.up,
  kind: kind.kind === 'one' ? kind.name : kind.kind === 'mixed' ? 'mixed' : '',
  flopsPerSecond: totals.gpuFlopsPerSecond,
  bandwidthBytesPerSecond: totals.gpuMemoryBytesPerSecond,
  memoryTotalBytes: totals.memoryTotalBytes.sum,
  modelMemoryBytes:
    memoryUseSum(members.filter(({ presence }) => presence !== 'offline').map(modelMemoryUse))?.totalBytes ??
    0,
  linkCounts: members.map(({ nodeId }) => linkCounts.get(nodeId) ?? 0),
});

/** The node whose memory is fullest; undefined until one reports it. */
const leastRoom = (views: readonly NodeView[]): RoomAnswer | undefined => {
  let fullest: RoomAnswer | undefined;
  for (const view of views) {
    if (view.presence === 'offline') continue;
    const share = Math.max(usedShare(modelMemoryUse(view)) ?? -1, usedShare(hostMemoryUse(view)) ?? -1);
    if (share < 0 || (fullest !== undefined && share <= fullest.share)) continue;
    const swapped = knownValue(view.memory)?.swapUsedBytes;
    fullest = {
      node: view.nodeId,
      share: hundredth(share),
      swappedBytes: typeof swapped === 'number' ? swapped : 0,
    };
  }
  return fullest;
};

const hundredth = (share: number): number => Math.round(share * 100) / 100;

const NO_PLACES: NonNullable<GroupSources['places']> = new Map();
const FAULTS_LISTED_MAX = 200;
const LINKS_LISTED_MAX = 12;
const OTHERS_LISTED_MAX = 50;
/** Medians over ten thousand links change little in a second. */
const WAYS_OF_MANY_MS = 5_000;
const MANY_NODES = 80;
/** Every second update of the stream, which arrives a little before or after its second. */
const LEVELS_OF_MANY_MS = 1_900;
const MANY_LEVELS = 200;

// The cells of a group, sorted by name with numbers by value, each with the number under it. Neither moves
// when a figure changes.

/** @param members sorted by name. */
const rosterCells = (
  members: readonly NodeView[],
  places: ReadonlyMap<NodeId, NodePlace>,
): readonly RosterCell[] => {
  const marks = cellMarks(members.map(({ name }) => name));
  return members.map((view, index) => {
    const { kind, tags } = places.get(view.nodeId) ?? nodePlace(view);
    return {
      node: view.nodeId,
      name: view.name,
      mark: marks[index] ?? '',
      kind: knownOr(kind, undefined)?.name ?? '',
      tags,
    };
  });
};

/** "7" for "r05-07" if every name of the group ends in a different number, else the position in the row. */
const cellMarks = (names: readonly string[]): readonly string[] => {
  const numbers = names
    .map(name => /(\d{1,4})$/.exec(name)?.[1])
    .map(digits => (digits === undefined ? '' : String(Number(digits))));
  const isStated = numbers.every(number => number !== '') && new Set(numbers).size === names.length;
  return isStated ? numbers : names.map((_, index) => String(index + 1));
};

// The levels of a group and its cells in whole per cent: finer changes are not visible, and a level that has
// not changed by one is not sent.

const groupLevels = ({ members, totals, memoryUse, gpuUse }: Group): GroupLevels => {
  const step = Math.max(1, totals.memoryTotalBytes.sum / 1_000);
  return {
    memory: members.map(view => percent(usedShare(modelMemoryUse(view)))),
    gpu: members.map(view => percent(freshUse(view))),
    states: members.map(stateLetter).join(''),
    usedBytes: Math.round(Math.round(totals.memoryUsedBytes.sum / step) * step),
    ...(memoryUse === undefined ? {} : { memoryUse: hundredth(memoryUse) }),
    ...(gpuUse.knownCount === 0 ? {} : { gpuUse: hundredth(gpuUse.sum / gpuUse.knownCount) }),
  };
};

const stateLetter = (view: NodeView): string => {
  if (view.presence === 'offline') return view.stoppedMs === undefined ? 'o' : 't';
  if (view.presence === 'stale') return 's';
  return isMeasured(view) ? 'm' : 'l';
};

const isMeasured = (view: NodeView): boolean =>
  view.cpu.probe?.kind === 'running' || gpusOf(view).some(({ probe }) => probe?.kind === 'running');

const percent = (share: number | undefined): number | null =>
  share === undefined ? null : Math.round(Math.min(1, Math.max(0, share)) * 100);
