import { describe, expect, test } from 'vitest';
import {
  linkFilterOf,
  linkQuery,
  matchesLink,
  mediumOptions,
} from '../../../dashboard/src/link/link-filter.ts';
import { type LinkView, linkViews } from '../../../src/core/link/link-view.ts';
import { service } from '../../e2e/fleet.ts';
import { idOf } from '../../e2e/links.ts';
import { notebook, rack, spark, studio } from '../../e2e/machines.ts';
import { at, stateOf } from '../cluster/cluster-state.ts';

const links = linkViews(
  stateOf(
    ...[studio, notebook, spark, rack].map(machine => ({
      machine,
      facts: [
        ...at(machine).facts,
        ...service()
          .reported.filter(reported => reported.machine === machine)
          .flatMap(({ facts }) => facts),
      ],
    })),
  ),
  0,
);
const keyOf = (...[a, b]: readonly [string, string]): string => (a < b ? `${a} ${b}` : `${b} ${a}`);
const left = (query: string, notes = new Map<string, string>()): readonly LinkView[] =>
  links.filter(link => matchesLink(link, linkFilterOf(new URLSearchParams(query)), notes));

describe('the filter of links', () => {
  test('is in the address and comes back from it', () => {
    for (const text of [
      '',
      'as=list&q=at&type=rdma&flagged=only&node=x',
      'measure=delay',
      'as=list',
      'link=atlas%2Cbosun&as=list',
    ])
      expect(linkQuery(linkFilterOf(new URLSearchParams(text))).toString()).toBe(text);
  });

  test('leaves out what an address contains wrongly', () => {
    expect(linkFilterOf(new URLSearchParams('as=pie&measure=weight&type=__proto__&flagged=yes'))).toEqual({
      shape: 'matrix',
      measure: undefined,
      text: '',
      medium: undefined,
      isFlaggedOnly: false,
      node: undefined,
      picked: undefined,
    });
  });

  test('takes links of a type, of a node, and those that fall short', () => {
    const atlasJuno = keyOf(idOf(studio), idOf(notebook));
    expect(left('')).toHaveLength(6);
    expect(left('type=rdma').map(({ key }) => key)).toEqual([atlasJuno]);
    expect(left('type=wifi')).toHaveLength(2);
    expect(left(`node=${idOf(studio)}`)).toHaveLength(3);
    expect(left(`node=${idOf(studio)}&type=cable`)).toHaveLength(2);
    expect(left('flagged=only')).toHaveLength(0);
    expect(left('flagged=only', new Map([[atlasJuno, 'short']])).map(({ key }) => key)).toEqual([atlasJuno]);
  });

  test('offers the types that are there', () => {
    expect(mediumOptions(links).map(({ title }) => title)).toEqual(['Every type', 'RDMA', 'Cable', 'Wi-Fi']);
  });
});
