import { describe, expect, test } from 'vitest';
import { connectionText } from '../../../dashboard/src/shell/connection-text.ts';
import { codeOf } from '../../../dashboard/src/shell/one-time-code.ts';
import { documentPath, linkPath, nodePath, routeOf } from '../../../dashboard/src/shell/route.ts';
import { DOCUMENT_TYPES } from '../../../src/core/document/document-kinds.ts';
import { nodeId } from '../../../src/core/ids.ts';

describe('routes', () => {
  test.each([
    ['/', 'cluster'],
    ['/nodes', 'nodes'],
    ['/nodes/', 'nodes'],
    ['/links', 'links'],
    ['/runs', 'runs'],
  ])('%s is the page of %s', (path, kind) => {
    expect(routeOf(path)).toEqual({ kind });
  });

  test('the path of a node leads back to it', () => {
    const id = nodeId('a'.repeat(26));
    expect(routeOf(nodePath(id))).toEqual({ kind: 'node', nodeId: id });
  });

  test('the path of a link leads back to its ends, under any names', () => {
    for (const ends of [
      ['a'.repeat(26), 'b'.repeat(26)],
      ['atlas', 'My Mac/Studio 100%'],
    ] as const)
      expect(routeOf(linkPath(ends[0], ends[1]))).toEqual({ kind: 'link', ends });
  });

  test.each([
    '/nodes/__proto__',
    '/nodes/short',
    '/nodes/x/y',
    '/elsewhere',
    '/links/1',
    '/links/a/b/c',
    '/links/%/b',
  ])('%s is no page', path => {
    expect(routeOf(path)).toEqual({ kind: 'unknown', path });
  });
});

describe('the one-time code', () => {
  test('is read from the fragment', () => {
    expect(codeOf('#code=abc_-1')).toBe('abc_-1');
  });

  test.each(['', '#', '#code=', '#other=1', '#code'])('is not there in %j', fragment => {
    expect(codeOf(fragment)).toBeUndefined();
  });
});

describe('the words of the connection', () => {
  test('name the state, and count next to it', () => {
    expect(connectionText({ kind: 'live', lastMessageMs: 300 })).toEqual({
      label: 'Live',
      remark: '0.3\u00a0s ago',
    });
    expect(connectionText({ kind: 'stale', lastMessageMs: 14_000 }).remark).toBe('last event 14\u00a0s ago');
  });

  test('a lost connection reports since when and when the next try is', () => {
    const text = connectionText({ kind: 'lost', lostMs: 61_000, nextTryMs: 2_100, reason: '' });
    expect(text).toEqual({ label: 'No connection', remark: 'since 1\u00a0min, next try in 3\u00a0s' });
    expect(connectionText({ kind: 'lost', lostMs: 0, nextTryMs: undefined, reason: '' }).remark).toContain(
      'trying now',
    );
  });
});

test('every kind of document has addresses, which lead back to it', () => {
  for (const type of DOCUMENT_TYPES)
    expect(routeOf(documentPath(type, '20261123-010203-ab12'))).toEqual({
      kind: 'document',
      type,
      id: '20261123-010203-ab12',
    });
  expect(routeOf('/comparisons/a/b')).toMatchObject({ kind: 'unknown' });
});
