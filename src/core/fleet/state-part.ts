// A part of State for a page that shows a part of the cluster: everything from some nodes; from others the
// events from which their links are derived; and the links that are shown. The same rule filters the entries
// of a snapshot and the events that follow it.

import { linkKeyOf } from '../apply.ts';
import { DOCUMENT_KINDS, DOCUMENT_TYPES } from '../document/document-kinds.ts';
import type { Event } from '../event.ts';
import { EVENT_KINDS } from '../event-kinds.ts';
import { isNodeId, type NodeId } from '../ids.ts';
import { FIELDS, type State, stateWith } from '../state.ts';
import { knownOr } from '../unknown.ts';

export interface StatePart {
  /** Nodes of which everything is included. */
  readonly whole: ReadonlySet<string>;
  /** Nodes of which identity, presence and interfaces are included. */
  readonly known: ReadonlySet<string>;
  /** Between two of `whole`, or with at least one end in it, or none. */
  readonly links: 'between' | 'of' | 'none';
  /** Runs and searches of all nodes. */
  readonly hasRuns: boolean;
}

/** Everything of these nodes, and the links between them. */
export const partOfNodes = (nodes: Iterable<NodeId>, links: StatePart['links']): StatePart => ({
  whole: new Set(nodes),
  known: new Set(),
  links,
  hasRuns: false,
});

/** A node with its links, and the nodes at their other ends. */
export const partOfNode = ({ connections }: Pick<State, 'connections'>, node: NodeId): StatePart => ({
  whole: new Set([node]),
  known: new Set([
    ...Object.keys(connections[node] ?? {}),
    ...Object.keys(connections).filter(
      source => isNodeId(source) && Object.hasOwn(connections[source] ?? {}, node),
    ),
  ]),
  links: 'of',
  hasRuns: false,
});

/** All runs, the nodes that ran them, and the machines that they loaded, as many as are compared at once. */
export const partOfRuns = (state: State): StatePart => {
  const { runs, runners } = state;
  const targets = [
    ...Object.values(runs).flatMap(of =>
      Object.values(of).map(({ value }) => knownOr(value.targetNode, undefined)),
    ),
    ...Object.values(runners).flatMap(of =>
      Object.values(of).map(({ value }) => knownOr(value.targetNode, undefined)),
    ),
  ].filter(node => node !== undefined);
  const whole = new Set<string>(targets.slice(-WHOLE_TARGETS_MAX));
  return {
    whole,
    known: new Set([
      ...DOCUMENT_TYPES.flatMap(type => Object.keys(state[DOCUMENT_KINDS[type].many])),
      ...targets,
    ]),
    links: 'none',
    hasRuns: true,
  };
};

export const isSamePart = (one: StatePart, other: StatePart): boolean =>
  one.links === other.links &&
  one.hasRuns === other.hasRuns &&
  isSameSet(one.whole, other.whole) &&
  isSameSet(one.known, other.known);

export const stateOfPart = (state: State, part: StatePart): State => {
  const kept = FIELDS.map(({ field, shape }) => [
    field,
    shape === 'linked'
      ? filtered(state[field], source => filteredSinks(state[field], source, part))
      : filtered(state[field], (origin, value) => (isStated(part, field, origin) ? value : undefined)),
  ]);
  const noted = (['unknownKinds', 'refusedKinds', 'origins'] as const).map(field => [
    field,
    filtered(state[field], (origin, value) =>
      part.whole.has(origin) || (field === 'origins' && part.known.has(origin)) ? value : undefined,
    ),
  ]);
  return stateWith(Object.fromEntries([...kept, ...noted]));
};

export const isEventOfPart = (part: StatePart, event: Event): boolean => {
  if (event.kind === 'unknown') return part.whole.has(event.origin);
  const key = linkKeyOf(event);
  return key === undefined
    ? isStated(part, EVENT_KINDS[event.kind].field, event.origin)
    : isLinkReported(part, event.origin, key.sink);
};

const isStated = ({ whole, known, hasRuns }: StatePart, field: string, origin: string): boolean =>
  whole.has(origin) || (known.has(origin) && KNOWN_FIELDS.has(field)) || (hasRuns && RUN_FIELDS.has(field));

const isLinkReported = ({ whole, links }: StatePart, source: string, sink: string): boolean => {
  if (links === 'none') return false;
  return links === 'of' ? whole.has(source) || whole.has(sink) : whole.has(source) && whole.has(sink);
};

const filteredSinks = (map: object, source: string, part: StatePart): object | undefined => {
  const sinks: unknown = Reflect.get(map, source);
  if (typeof sinks !== 'object' || sinks === null) return undefined;
  const kept = filtered(sinks, (sink, value) => (isLinkReported(part, source, sink) ? value : undefined));
  return Object.keys(kept).length === 0 ? undefined : kept;
};

const filtered = (map: object, take: (key: string, value: unknown) => unknown): object =>
  Object.fromEntries(
    Object.entries(map)
      .map(([key, value]) => [key, take(key, value)] as const)
      .filter(([, value]) => value !== undefined),
  );

const isSameSet = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every(key => other.has(key));

const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'nodeIdentities',
  'nodeConfigs',
  'nodeNetworks',
  'nodeThunderbolts',
  'nodeRdmaDevices',
  'nodeStops',
  // Published twice a second: whether it is up.
  'nodeMemories',
]);
const RUN_FIELDS: ReadonlySet<string> = new Set([
  'runners',
  ...DOCUMENT_TYPES.flatMap(type => [DOCUMENT_KINDS[type].many, DOCUMENT_KINDS[type].progress]),
]);
const WHOLE_TARGETS_MAX = 32;
