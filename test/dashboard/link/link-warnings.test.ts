import { describe, expect, test } from 'vitest';
import { isOfLink } from '../../../dashboard/src/link/link-warnings.ts';
import { type LinkView, linkViews } from '../../../src/core/link/link-view.ts';
import type { Warning } from '../../../src/core/warnings/warning.ts';
import { service } from '../../e2e/fleet.ts';
import { idOf } from '../../e2e/links.ts';
import { notebook, rack, spark, studio } from '../../e2e/machines.ts';
import { at, stateOf } from '../cluster/cluster-state.ts';

const [ATLAS, JUNO, BOSUN] = [idOf(studio), idOf(notebook), idOf(rack)];
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
const between = (...ends: readonly string[]): LinkView => {
  const link = links.find(({ nodes }) => nodes.every(node => ends.includes(node)));
  if (link === undefined) throw new Error('no link');
  return link;
};
const warning = (id: string, ...nodes: Warning['nodes']): Warning => ({
  id,
  level: 'caution',
  nodes,
  title: '',
  why: '',
});

describe('the warnings of a link', () => {
  const link = between(ATLAS, JUNO);

  test('are those of the link itself and of both its ends together', () => {
    expect(isOfLink(warning(`link short ${link.key}`, ...link.nodes), link)).toBe(true);
    expect(isOfLink(warning('builds 25A 25B', ATLAS, JUNO, BOSUN), link)).toBe(true);
    expect(isOfLink(warning('bridge loop x', JUNO, BOSUN), link)).toBe(false);
  });

  test('are of RDMA at one end too, where the link has or could have such a way', () => {
    expect(isOfLink(warning(`rdma down ${JUNO} rdma_en4`, JUNO), link)).toBe(true);
    expect(isOfLink(warning(`rdma down ${BOSUN} mlx5_0`, BOSUN), between(ATLAS, BOSUN))).toBe(false);
  });

  test('are of an end that does not answer: its link carries nothing', () => {
    expect(isOfLink(warning(`presence ${ATLAS}`, ATLAS), link)).toBe(true);
    expect(isOfLink(warning(`stopped ${JUNO}`, JUNO), link)).toBe(true);
    expect(isOfLink(warning(`presence ${BOSUN}`, BOSUN), link)).toBe(false);
  });

  test('are none of what concerns one end alone', () => {
    expect(isOfLink(warning(`memory ${ATLAS}`, ATLAS), link)).toBe(false);
  });
});
