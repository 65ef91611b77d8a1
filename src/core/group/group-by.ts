// What nodes are grouped by, as a person writes it (`--group rack`, `?by=tag:role`), and the groups that one node belongs to.

import { type Parsed, parsed, wrong } from '../figure/parse-figure.ts';
import { isUnknown, type Reported, unknown } from '../unknown.ts';
import type { NodePlace, Placed } from './node-place.ts';

/** `key`: only tags "key=value", each value is a group; without it each tag is a group. */
export type GroupBy =
  | { readonly kind: 'site' | 'rack' | 'kind' }
  | { readonly kind: 'tag'; readonly key?: string };

export interface GroupName {
  /**
   * Stays the same while the properties of its nodes do: for addresses and labels of metrics. '' for nodes in
   * no group.
   */
  readonly id: string;
  readonly name: string;
  /** Why its nodes are in no group; of several reasons the most frequent. undefined for a real group. */
  readonly reason: string | undefined;
}

const GROUP_KINDS = ['rack', 'site', 'kind', 'tag'] as const;

export const parseGroupBy = (text: string): Parsed<GroupBy> => {
  const kind = GROUP_KINDS.find(one => one === text);
  if (kind !== undefined) return parsed({ kind });
  const key = /^tag:(.{1,63})$/.exec(text)?.[1];
  return key === undefined
    ? wrong(`${JSON.stringify(text)} is not a grouping`, 'Use site, rack, kind, tag or tag:KEY.')
    : parsed({ kind: 'tag', key });
};

export const groupByText = (by: GroupBy): string =>
  by.kind === 'tag' && by.key !== undefined ? `tag:${by.key}` : by.kind;

/** One group, or with tags as many as there are; at least one. */
export const groupsOf = (place: NodePlace, by: GroupBy): readonly GroupName[] => {
  switch (by.kind) {
    case 'site':
    case 'kind':
      return [named(place[by.kind])];
    case 'rack':
      return [rackOf(place)];
    case 'tag': {
      const names = by.key === undefined ? place.tags : valuesOf(place.tags, by.key);
      const none = by.key === undefined ? 'no tags in config.toml' : `no tag ${by.key}=…`;
      return names.length === 0
        ? [named(unknown(none))]
        : names.map(name => ({ id: name, name, reason: undefined }));
    }
    default:
      return by satisfies never;
  }
};

/** The values of the tags "key=value". */
export const valuesOf = (tags: readonly string[], key: string): readonly string[] =>
  tags
    .filter(tag => tag.startsWith(`${key}=`) && tag.length > key.length + 1)
    .map(tag => tag.slice(key.length + 1));

const named = (placed: Reported<Placed>): GroupName =>
  isUnknown(placed)
    ? { id: '', name: NO_GROUP, reason: placed.reason }
    : { id: placed.name, name: placed.name, reason: undefined };

/** Each site may have a rack r01: these are different racks. */
const rackOf = ({ site, rack }: NodePlace): GroupName => {
  if (isUnknown(rack) || isUnknown(site)) return named(rack);
  return { id: `${site.name}/${rack.name}`, name: rack.name, reason: undefined };
};

const NO_GROUP = 'no group';
