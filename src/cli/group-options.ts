// The options for which nodes to show and how to group them, for `status` and `top`.

import { parsed } from '../core/figure/parse-figure.ts';
import { parseGroupBy } from '../core/group/group-by.ts';
import type { PlaceFilter } from '../core/group/place-filter.ts';
import { type Option, repeated, value } from '../core/option/option.ts';
import type { ClusterScope } from '../tui/cluster-scope.ts';
import type { Invocation } from './command.ts';

const groupOption = value({
  name: 'group',
  valueName: 'rack|site|kind|tag|tag:KEY',
  meaning:
    'One row a group instead of a node: rack, site, kind, tag, or tag:KEY for the values of tags KEY=VALUE.',
  parse: parseGroupBy,
});
const only = (name: string, meaning: string): Option<string | undefined> =>
  value<string>({ name, valueName: 'NAME', meaning, parse: parsed });

const siteOption = only('site', 'Only nodes of this site.');
const rackOption = only(
  'rack',
  'Only nodes of this rack; SITE/RACK where several sites have one of that name.',
);
const kindOption = only('kind', 'Only machines of this kind.');
const tagOption = repeated<string>({
  name: 'tag',
  valueName: 'TAG',
  meaning: 'Only nodes with this tag, for example serve or team=search; of several all must be there.',
  parse: parsed,
});

export const SCOPE_OPTIONS: readonly Option<unknown>[] = [
  groupOption,
  siteOption,
  rackOption,
  kindOption,
  tagOption,
];

export const scopeOf = (invocation: Invocation): ClusterScope => {
  const by = invocation.option(groupOption);
  const [site, rack, kind] = [siteOption, rackOption, kindOption].map(option => invocation.option(option));
  const filter: PlaceFilter = {
    ...(site === undefined ? {} : { site }),
    ...(rack === undefined ? {} : { rack }),
    ...(kind === undefined ? {} : { kind }),
    tags: invocation.option(tagOption),
  };
  return { by, filter };
};
