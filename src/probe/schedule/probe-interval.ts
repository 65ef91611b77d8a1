// How long a profile lasts: its lifetime, stretched if the probes of all paths on an interface would use too much
// of it. A pure function of state, so both ends get the same figure.

import type { NodeId } from '../../core/ids.ts';
import type { Connection } from '../../core/link/connection.ts';
import type { LinkProfile } from '../../core/link/link-profile.ts';
import type { State } from '../../core/state.ts';
import { isKnown, knownOr } from '../../core/unknown.ts';
import { currentPaths, type PlacedLink, pathName } from './current-paths.ts';
import { ANY_PORT, sinkPorts, sourcePorts } from './link-ports.ts';
import { BUDGET_BYTES_MAX, DEADLINE_MS, type ProbeSettings, ttlMsOf } from './probe-settings.ts';
import type { Spending } from './spend-ledger.ts';

/** How much of each interface of each node one round of all current paths uses. */
export interface PortLoads {
  readonly byPort: ReadonlyMap<string, PortLoad>;
  /** The amount counted for each path; undefined if it was never measured. */
  readonly byPath: ReadonlyMap<string, Spending | undefined>;
}

interface PortLoad extends Spending {
  /** Paths never measured: each is assumed to cost as much as the one in question. */
  readonly unmeasured: number;
}

type SpentFigures = Pick<LinkProfile, 'uploadBitsPerSecond' | 'downloadBitsPerSecond' | 'bytesUsed'>;

/**
 * How much the next probe of a path with these figures will use: what this one did without its all-reduces, which come once an hour. The
 * ledger counts those when they are spent.
 */
export const routineSpendingOf = (
  profile: SpentFigures & Pick<LinkProfile, 'extrasBytes'>,
): Spending | undefined =>
  spendingOf({ ...profile, bytesUsed: Math.max(0, profile.bytesUsed - knownOr(profile.extrasBytes, 0)) });

/** How much a probe with these figures used of its interface: its bytes at the measured rates. */
export const spendingOf = (profile: SpentFigures): Spending | undefined => {
  const { uploadBitsPerSecond: up, downloadBitsPerSecond: down, bytesUsed } = profile;
  if (!isKnown(up) || !isKnown(down) || !(up > 0) || !(down > 0)) return undefined;
  // Each direction runs for about the same time, so bytes split in proportion to the rates.
  return believableSpending({ busyMs: (bytesUsed * 8 * 2_000) / (up + down), bytesUsed });
};

/**
 * Profiles of other nodes count for this node's interfaces too, and their rates are partly what a peer returned: no probe
 * costs less than nothing, or more than the most that one may take.
 */
export const believableSpending = ({ busyMs, bytesUsed }: Spending): Spending => ({
  busyMs: Math.min(DEADLINE_MS.rdma, Math.max(0, busyMs)),
  bytesUsed: Math.min(BUDGET_BYTES_MAX, Math.max(0, bytesUsed)),
});

/** One pass over all paths between present nodes. */
export const portLoads = (state: State, nowMs: number): PortLoads => {
  const byPort = new Map<string, PortLoad>();
  const byPath = new Map<string, Spending | undefined>();
  const portsFor = cachedPortKeys(state);
  for (const { connections, profiles } of currentPaths(state, nowMs)) {
    const [link] = connections;
    if (link === undefined) continue;
    const spending =
      profiles?.newest === undefined ? undefined : routineSpendingOf(profiles.newest.entry.value);
    byPath.set(pathName(link), spending);
    for (const port of portsFor(link)) {
      const sum = byPort.get(port) ?? NO_LOAD;
      byPort.set(port, {
        busyMs: sum.busyMs + (spending?.busyMs ?? 0),
        bytesUsed: sum.bytesUsed + (spending?.bytesUsed ?? 0),
        unmeasured: sum.unmeasured + (spending === undefined ? 1 : 0),
      });
    }
  }
  return { byPort, byPath };
};

/** `own`: what the newest probe of this path used, if not yet in state. */
export const linkIntervalMs = (
  state: State,
  link: PlacedLink,
  {
    loads,
    settings,
    own,
  }: { readonly loads: PortLoads; readonly settings: ProbeSettings; readonly own?: Spending },
): number => {
  const counted = loads.byPath.get(pathName(link));
  const mine = own ?? counted ?? SPENDING_UNKNOWN;
  const moreOf = (figure: keyof Spending): number =>
    counted === undefined ? 0 : mine[figure] - counted[figure];
  let intervalMs = ttlMsOf(link.connection.kind, settings);
  for (const port of portsOf(state, link)) {
    const load = loads.byPort.get(port) ?? NO_LOAD;
    const roundOf = (figure: keyof Spending): number =>
      load[figure] + moreOf(figure) + load.unmeasured * mine[figure];
    intervalMs = Math.max(
      intervalMs,
      roundOf('busyMs') / settings.bandwidthShare,
      (roundOf('bytesUsed') / settings.bytesPerHourMax) * 3_600_000,
    );
  }
  return Math.min(intervalMs, INTERVAL_MS_MAX);
};

const portsOf = (state: State, { source, connection }: PlacedLink): readonly string[] => [
  ...sourcePortKeys(state, source, connection),
  ...sinkPortKeys(state, connection),
];

const sourcePortKeys = (state: State, source: NodeId, connection: Connection): readonly string[] =>
  portKeys(source, sourcePorts(state, source, connection));

const sinkPortKeys = (state: State, connection: Connection): readonly string[] =>
  portKeys(connection.sink, sinkPorts(state, connection));

/** An unknown interface is counted separately: its identity would only be a guess. */
const portKeys = (node: NodeId, ports: readonly string[]): readonly string[] =>
  ports.map(port => `${node} ${port === ANY_PORT ? 'unknown' : port}`);

/** A node has thousands of connections and a few interfaces: each end is looked up once. */
const cachedPortKeys = (state: State): ((link: PlacedLink) => readonly string[]) => {
  const known = new Map<string, readonly string[]>();
  const at = (key: string, look: () => readonly string[]): readonly string[] => {
    const cached = known.get(key);
    if (cached !== undefined) return cached;
    const found = look();
    known.set(key, found);
    return found;
  };
  return ({ source, connection }) => {
    const { sink, sourceInterface } = connection;
    const sinkEnd = connection.kind === 'socket' ? connection.sinkAddress : connection.sinkInterface;
    const sourceEnd = isKnown(sourceInterface) ? sourceInterface : ANY_PORT;
    const kind = connection.kind;
    return [
      ...at(`source ${source} ${sourceEnd}`, () => sourcePortKeys(state, source, connection)),
      ...at(`${kind} ${sink} ${sinkEnd}`, () => sinkPortKeys(state, connection)),
    ];
  };
};

const NO_LOAD: PortLoad = { busyMs: 0, bytesUsed: 0, unmeasured: 0 };
/** However many connections a peer has opened to an interface, each is measured once a day. */
const INTERVAL_MS_MAX = 86_400_000;
/** Until anything has been measured. */
const SPENDING_UNKNOWN: Spending = { busyMs: 1_000, bytesUsed: 0 };
