import { describe, expect, test } from 'vitest';
import {
  endsOfNodes,
  pickedEnds,
  pickedKey,
  withPickedEnds,
} from '../../../dashboard/src/link/picked-link.ts';
import { linkKey } from '../../../src/core/link/link-path.ts';
import { idOf } from '../../e2e/links.ts';
import { notebook, rack, studio } from '../../e2e/machines.ts';

const [ATLAS, JUNO, BOSUN] = [idOf(studio), idOf(notebook), idOf(rack)];
const NODES = [
  { nodeId: ATLAS, name: 'atlas' },
  { nodeId: JUNO, name: 'twin' },
  { nodeId: BOSUN, name: 'twin' },
];

describe('the link that is looked at, in an address', () => {
  test('is written by names, and by ids where a name is not unique', () => {
    expect(endsOfNodes([ATLAS, JUNO], NODES)).toEqual(['atlas', JUNO]);
    const query = withPickedEnds(new URLSearchParams('as=list'), endsOfNodes([JUNO, ATLAS], NODES));
    expect(query.get('as')).toBe('list');
    expect(pickedKey(pickedEnds(query), NODES)).toBe(linkKey(ATLAS, JUNO));
    expect(withPickedEnds(query, undefined).toString()).toBe('as=list');
  });

  test('is none where the address names nobody, one node alone, or too many', () => {
    for (const text of ['', 'link=', 'link=atlas', 'link=atlas,nobody', 'link=atlas,atlas', 'link=a,b,c'])
      expect(pickedKey(pickedEnds(new URLSearchParams(text)), NODES)).toBeUndefined();
  });
});
