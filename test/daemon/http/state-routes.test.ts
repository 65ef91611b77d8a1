import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pathSegments, walkOwn } from '../../../src/daemon/http/state-routes.ts';
import { fetchJson, sendRequest } from './http-exchange.ts';
import { identityFact, memoryFact, OTHER, SELF, serveCluster } from './served-cluster.ts';

describe('GET /api/state', () => {
  test('is the state itself, with ages counted up to now', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'), memoryFact(68_719_476_736));
    await served.clock.advance(1_500);
    const { json } = await fetchJson({ port: served.port, path: '/api/state' });
    const { nowMs, ...state } = json;
    expect(nowMs).toBe(1_500);
    expect(Object.keys(state)).toEqual(Object.keys(served.cluster.state));
    expect(state.nodeMemories[SELF]).toMatchObject({ ageMs: 1_500, receivedAtMs: 1_500, intervalMs: 500 });
    expect(state.nodeMemories[SELF].value).toEqual(served.cluster.state.nodeMemories[SELF]?.value);
  });

  test('answers a part by its path', async () => {
    await using served = await serveCluster();
    served.report(SELF, memoryFact(64));
    const part = async (path: string) =>
      (await fetchJson({ port: served.port, path: `/api/state/${path}` })).json;
    expect(await part(`nodeMemories/${SELF}/value/totalBytes`)).toBe(64);
    await served.clock.advance(250);
    expect(await part(`nodeMemories/${SELF}/ageMs`)).toBe(250);
    expect(await part('nowMs')).toBe(250);
    expect(await part('runs')).toEqual({});
    expect(await part(`nodeMemories/${SELF}/value/container/`)).toEqual({ kind: 'none' });
    expect(Object.keys(await part(''))).toContain('nodeMemories');
  });

  test('finds keys with slashes and spaces by their escapes', async () => {
    await using served = await serveCluster();
    const sinkAddress = 'fe80::1%en3/64 é';
    served.report(SELF, {
      kind: 'connection.opened',
      payload: {
        kind: 'socket',
        sink: OTHER,
        sinkAddress,
        sourceInterface: 'en3',
        sinkInterface: 'en3',
        type: 'ethernet',
        negotiatedBitsPerSecond: 1e9,
      },
    });
    const path = `/api/state/connections/${SELF}/${OTHER}/${encodeURIComponent(`socket ${sinkAddress}`)}/value/sinkAddress`;
    expect((await fetchJson({ port: served.port, path })).json).toBe(sinkAddress);
  });

  test.each([
    '__proto__',
    'constructor',
    'toString',
    'nodeMemories/__proto__',
    `nodeMemories/${SELF}/constructor`,
    `nodeMemories/${SELF}/value/totalBytes/toFixed`,
    `nodeMemories/${SELF}/source/length`,
    `nodeMemories/${SELF}/source/0`,
    'nodeMemories/hasOwnProperty/call',
    'nodeMemories//value',
    '/',
    '/nodeMemories',
    'nodeMemories//',
    '%5F%5Fproto%5F%5F',
  ])('has nothing at %s', async path => {
    await using served = await serveCluster();
    served.report(SELF, memoryFact(64));
    const { status, json } = await fetchJson({ port: served.port, path: `/api/state/${path}` });
    expect([status, json.code]).toEqual([404, 'not-in-state']);
  });

  test('HEAD returns the length of what GET would send', async () => {
    await using served = await serveCluster();
    served.report(SELF, memoryFact(64));
    const [head, get] = [
      await sendRequest({ port: served.port, path: '/api/state', method: 'HEAD' }),
      await sendRequest({ port: served.port, path: '/api/state' }),
    ];
    expect([head.status, head.body]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(String(get.body.length));
  });
});

const TRICKY = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  '0',
  '-0',
  '00',
  '1e0',
  '',
  'a',
];
const segment = fc.oneof(fc.constantFrom(...TRICKY), fc.string());
const { value: json } = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 7, 'text'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(segment, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

describe('walking a path', () => {
  test('reaches everything that JSON shows, by its path', () => {
    fc.assert(
      fc.property(json, root => {
        for (const { path, value } of everyPath(root)) {
          expect(walkOwn(root, path)).toEqual({ kind: 'found', value });
          const escaped = path.map(part => encodeURIComponent(part)).join('/');
          if (!path.includes('')) expect(pathSegments(escaped)).toEqual(path);
        }
      }),
    );
  });

  test('reaches nothing that JSON does not show', () => {
    fc.assert(
      fc.property(json, fc.array(segment, { maxLength: 4 }), (root, path) => {
        const walked = walkOwn(root, path);
        const shown = everyPath(root).find(
          part => part.path.join('\0') === path.join('\0') && part.path.length === path.length,
        );
        expect(walked).toEqual(
          shown === undefined ? { kind: 'absent' } : { kind: 'found', value: shown.value },
        );
      }),
    );
  });

  test('of any text of a URL ends in segments or in a refusal', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        const segments = pathSegments(text);
        expect(segments === undefined || Array.isArray(segments)).toBe(true);
      }),
    );
  });
});

/** Every part of a JSON value: what Object.entries shows, and nothing else. */
const everyPath = (
  value: unknown,
  path: readonly string[] = [],
): readonly { path: readonly string[]; value: unknown }[] => [
  { path, value },
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, part]) => everyPath(part, [...path, key]))
    : []),
];
