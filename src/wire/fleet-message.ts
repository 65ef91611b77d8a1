// What the daemon streams to a page of a fleet: parts of a picture by name, all of them first, then those
// that have changed. A part is sent at most once a second; a slow reader gets the newest of each and misses
// those in between. Moments are on the sender's monotonic clock, and the reader moves them onto its own.

import type { FleetFault } from '../core/fleet/fleet-faults.ts';
import type { FleetLink } from '../core/fleet/fleet-links.ts';
import type { FleetPicture, FleetRoster } from '../core/fleet/fleet-picture.ts';
import type { FleetSelection } from '../core/fleet/fleet-selection.ts';
import type { GroupPairWays } from '../core/fleet/fleet-ways.ts';
import type { LinkListing } from '../core/fleet/link-listing.ts';
import { isNodeId, type NodeId } from '../core/ids.ts';
import { isJsonObject } from '../core/json.ts';
import { writtenOnce } from '../core/text/written-once.ts';
import { STREAM_VERSION, StreamMessageError } from './stream-message.ts';

export interface FleetMessage {
  readonly daemonStart: string;
  readonly nodeId: NodeId;
  readonly plimsollVersion: string;
  readonly nowMs: number;
  /** Replaces what the reader has, instead of being added to it. */
  readonly isWhole: boolean;
  readonly parts: FleetParts;
}

/** `levels` and `sums` by the group's position in the roster; missing parts are unchanged. */
type FleetParts = FleetLists & { readonly [P in PlainPart]?: FleetPicture[P] } & {
  readonly levels?: Readonly<Record<string, FleetPicture['levels'][number]>>;
  readonly sums?: Readonly<Record<string, FleetPicture['sums'][number]>>;
};

/** Lists that are not part of the picture, but were requested. */
export interface FleetLists {
  /** What is selected; null: it does not exist. */
  readonly selection?: FleetSelection | null;
  /** For each two groups that have links, and within each, by roster position. */
  readonly matrix?: readonly GroupPairWays[];
  readonly listing?: LinkListing;
}

type PlainPart = Exclude<keyof FleetPicture, 'levels' | 'sums'>;

/** A part as text, under the name by which changes are counted. */
export type WrittenParts = ReadonlyMap<string, string>;

export const writtenPicture = (picture: FleetPicture): WrittenParts =>
  new Map([
    ...PLAIN_PARTS.map(name => [name, writtenOnce(picture[name])] as const),
    ...picture.levels.map((levels, group) => [`levels ${group}`, writtenOnce(levels)] as const),
    ...picture.sums.map((sums, group) => [`sums ${group}`, writtenOnce(sums)] as const),
  ]);

export const writtenLists = (lists: FleetLists): WrittenParts =>
  new Map(Object.entries(listsOf(lists)).map(([name, list]) => [name, JSON.stringify(list)] as const));

/** The lists that are present. */
export const listsOf = ({ selection, matrix, listing }: FleetLists): FleetLists => ({
  ...(selection === undefined ? {} : { selection }),
  ...(matrix === undefined ? {} : { matrix }),
  ...(listing === undefined ? {} : { listing }),
});

export const encodeFleet = (head: Omit<FleetMessage, 'parts'>, parts: WrittenParts): string => {
  const plain: string[] = [];
  const lists: Record<'levels' | 'sums', string[]> = { levels: [], sums: [] };
  for (const [name, text] of parts) {
    const [list, group] = name.split(' ');
    if (group !== undefined && (list === 'levels' || list === 'sums')) lists[list].push(`"${group}":${text}`);
    else plain.push(`"${name}":${text}`);
  }
  for (const name of ['levels', 'sums'] as const)
    if (lists[name].length > 0) plain.push(`"${name}":{${lists[name].join(',')}}`);
  return `${JSON.stringify({ version: STREAM_VERSION, ...head }).slice(0, -1)},"parts":{${plain.join(',')}}}`;
};

/** @throws StreamMessageError if it is not one of this version. */
export const decodeFleet = (text: string, nowMs: number): FleetMessage => {
  const message = parsed(text);
  if (!isFleetMessage(message))
    throw new StreamMessageError('malformed', 'the daemon sent a fleet that cannot be read');
  if (message.version !== STREAM_VERSION)
    throw new StreamMessageError(
      'version',
      `the daemon uses version ${message.version} of the stream, this page version ${STREAM_VERSION}: reload the page`,
    );
  const { version: _, ...rest } = message;
  return { ...rest, nowMs, parts: moved(message.parts, nowMs - message.nowMs) };
};

/** The picture after a message; undefined until a whole one has arrived. */
export const foldedPicture = (
  before: FleetPicture | undefined,
  { isWhole, parts }: Pick<FleetMessage, 'isWhole' | 'parts'>,
): FleetPicture | undefined => {
  const current: Partial<FleetPicture> = isWhole ? {} : (before ?? {});
  const roster: FleetRoster | undefined = parts.roster ?? current.roster;
  if (roster === undefined) return before;
  const groups = roster.groups.map((_, index) => index);
  const { levels: _, sums: __, selection: ___, matrix: ____, listing: _____, ...plain } = parts;
  const picture: Partial<FleetPicture> = {
    ...current,
    ...plain,
    levels: groups.flatMap(group => parts.levels?.[group] ?? current.levels?.[group] ?? []),
    sums: groups.flatMap(group => parts.sums?.[group] ?? current.sums?.[group] ?? []),
  };
  return isWholePicture(picture, groups.length) ? picture : before;
};

const isWholePicture = (picture: Partial<FleetPicture>, groupCount: number): picture is FleetPicture =>
  PLAIN_PARTS.every(name => picture[name] !== undefined) &&
  picture.levels?.length === groupCount &&
  picture.sums?.length === groupCount;

const moved = (parts: FleetParts, offsetMs: number): FleetParts => ({
  ...parts,
  ...(parts.faults === undefined
    ? {}
    : { faults: { ...parts.faults, list: parts.faults.list.map(fault => movedFault(fault, offsetMs)) } }),
  ...(parts.links === undefined ? {} : { links: parts.links.map(link => movedFleetLink(link, offsetMs)) }),
  ...(parts.answers?.slowestCable === undefined
    ? {}
    : { answers: { ...parts.answers, slowestCable: movedFleetLink(parts.answers.slowestCable, offsetMs) } }),
  ...(parts.listing === undefined
    ? {}
    : {
        listing: { ...parts.listing, links: parts.listing.links.map(link => movedFleetLink(link, offsetMs)) },
      }),
  ...(parts.selection === undefined || parts.selection === null
    ? {}
    : {
        selection: {
          ...parts.selection,
          links: parts.selection.links.map(link => movedFleetLink(link, offsetMs)),
        },
      }),
});

const movedFault = (fault: FleetFault, offsetMs: number): FleetFault =>
  'sinceMs' in fault && fault.sinceMs !== undefined ? { ...fault, sinceMs: fault.sinceMs + offsetMs } : fault;

const movedFleetLink = (link: FleetLink, offsetMs: number): FleetLink =>
  link.measuredAtMs === undefined ? link : { ...link, measuredAtMs: link.measuredAtMs + offsetMs };

const isFleetMessage = (message: unknown): message is FleetMessage & { readonly version: number } =>
  isJsonObject(message) &&
  typeof message['version'] === 'number' &&
  typeof message['nowMs'] === 'number' &&
  typeof message['isWhole'] === 'boolean' &&
  typeof message['daemonStart'] === 'string' &&
  typeof message['plimsollVersion'] === 'string' &&
  isNodeId(message['nodeId']) &&
  isJsonObject(message['parts']) &&
  Object.values(message['parts']).every(part => part === null || typeof part === 'object');

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StreamMessageError('malformed', 'the daemon sent a fleet that cannot be read', { cause });
  }
};

const PLAIN_PARTS = ['roster', 'ways', 'totals', 'faults', 'answers', 'links', 'others'] as const;
