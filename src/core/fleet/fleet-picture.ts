// What the page of a fleet shows, and no more: groups with their cells, levels in whole per cent, faults, the ways between
// groups. A page of a small cluster derives it from State; of a large one the daemon does and sends it, part by part, so a
// part holds what changes at one rate.

import type { GroupBy } from '../group/group-by.ts';
import type { NodePlace } from '../group/node-place.ts';
import type { NodeId } from '../ids.ts';
import type { Total } from '../totals.ts';
import { isKnown } from '../unknown.ts';
import type { Warning } from '../warnings/warning.ts';
import type { FleetFault } from './fleet-faults.ts';
import type { FleetLink } from './fleet-links.ts';
import type { GroupPairWays, GroupWays } from './fleet-ways.ts';

export interface FleetPicture {
  readonly roster: FleetRoster;
  /** One a group, like `sums` and `ways`. */
  readonly levels: readonly GroupLevels[];
  readonly sums: readonly GroupSums[];
  readonly ways: readonly GroupWays[];
  readonly totals: FleetTotals;
  readonly faults: FleetFaults;
  readonly answers: FleetAnswers;
  /** Slowest first, by share of what was negotiated. */
  readonly links: readonly FleetLink[];
  /** Warnings that no cell shows. */
  readonly others: readonly Warning[];
}

/** Who is where: changes when nodes come, go or are named anew. */
export interface FleetRoster {
  /** As `groupByText` writes it. */
  readonly by: string;
  readonly groups: readonly RosterGroup[];
}

export interface RosterGroup {
  readonly id: string;
  readonly name: string;
  /** Why its nodes are in no group. */
  readonly reason?: string;
  readonly cells: readonly RosterCell[];
}

export interface RosterCell {
  readonly node: NodeId;
  readonly name: string;
  /** Its place in the group, for the number under the cell: "7". */
  readonly mark: string;
  readonly kind: string;
  readonly tags: readonly string[];
}

/** One a cell, in the order of the roster. null: nobody tells it; an array of a thousand has no room for reasons. */
export interface GroupLevels {
  /** Per cent of the memory that models live in. */
  readonly memory: readonly (number | null)[];
  /** Per cent, mean of its GPUs. */
  readonly gpu: readonly (number | null)[];
  /** A letter each: l live, s stale, o offline, t stopped on purpose, m being measured. */
  readonly states: string;
  /** Of the memory that models live in, of the whole group, 0..1. */
  readonly memoryUse?: number;
  /** Mean of its GPUs, 0..1. */
  readonly gpuUse?: number;
  /** Of host and GPUs, to a thousandth of the whole. */
  readonly usedBytes: number;
}

/** What changes when nodes or their profiles do. */
export interface GroupSums {
  readonly nodeCount: number;
  readonly upCount: number;
  /** "Mac Studio", or "mixed"; '' where nobody knows. */
  readonly kind: string;
  readonly flopsPerSecond: Total;
  readonly bandwidthBytesPerSecond: Total;
  /** Of host and GPUs. */
  readonly memoryTotalBytes: number;
  /** That models live in. */
  readonly modelMemoryBytes: number;
  /** One a cell: links that are not gone. */
  readonly linkCounts: readonly number[];
}

interface FleetTotals {
  readonly nodeCount: number;
  readonly linkCount: number;
  readonly runCount: number;
  readonly simulatedCount: number;
}

export interface FleetFaults {
  /** The worst first, bounded. */
  readonly list: readonly FleetFault[];
  /** Of all. */
  readonly count: number;
  readonly nodeCount: number;
}

export interface FleetAnswers {
  readonly slowestCable?: FleetLink;
  readonly slowestPair?: GroupPairWays;
  readonly leastRoom?: RoomAnswer;
}

export interface RoomAnswer {
  readonly node: NodeId;
  readonly share: number;
  readonly swappedBytes: number;
}

/** From so many nodes on a cluster is shown as a fleet, and a map is that of one group. */
const FLEET_NODES_MIN = 13;

export const isFleet = (nodeCount: number): boolean => nodeCount >= FLEET_NODES_MIN;

/** What these nodes are grouped by where nobody asks for anything else: what most of them say of themselves. */
export const usualGroupBy = (places: readonly NodePlace[]): GroupBy => {
  const isSaid = (kind: 'rack' | 'site'): boolean =>
    places.filter(place => isKnown(place[kind])).length * 2 > places.length;
  if (isSaid('rack')) return { kind: 'rack' };
  return isSaid('site') ? { kind: 'site' } : { kind: 'kind' };
};
