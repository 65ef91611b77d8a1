import { describe, expect, test } from 'vitest';
import { linkEnds } from '../../../dashboard/src/link/link-ends.ts';
import { nodeId } from '../../../src/core/ids.ts';

const node = (letter: string, name: string) => ({ nodeId: nodeId(letter.repeat(26)), name });
const atlas = node('a', 'atlas');
const juno = node('j', 'juno');
const nodes = [atlas, juno, node('t', 'twin'), node('u', 'twin')];

describe('the ends of a link that an address names', () => {
  test('are ids or names, in any case', () => {
    const found = { kind: 'found', ends: [atlas.nodeId, juno.nodeId] };
    expect(linkEnds([atlas.nodeId, juno.nodeId], nodes)).toEqual(found);
    expect(linkEnds(['Atlas', juno.nodeId], nodes)).toEqual(found);
  });

  test('must be two nodes', () => {
    expect(linkEnds(['atlas', atlas.nodeId], nodes)).toEqual({ kind: 'same', node: atlas });
  });

  test('who is mistyped is reported, with who was probably meant', () => {
    expect(linkEnds(['atlsa', 'juno'], nodes)).toEqual({
      kind: 'unknown',
      problems: [{ name: 'atlsa', problem: 'nobody', near: atlas }],
    });
    expect(linkEnds(['atlas', 'somebody-else'], nodes)).toMatchObject({ problems: [{ near: undefined }] });
  });

  test('a name that two nodes have means neither', () => {
    expect(linkEnds(['twin', 'juno'], nodes)).toMatchObject({
      problems: [{ name: 'twin', problem: 'several' }],
    });
  });
});
