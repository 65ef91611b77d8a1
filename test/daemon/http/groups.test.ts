import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { nodeId } from '../../../src/core/ids.ts';
import {
  groupMembersAnswerSchema,
  groupPairsAnswerSchema,
  groupsAnswerSchema,
} from '../../../src/wire/api/group-answers.ts';
import { fetchJson } from './http-exchange.ts';
import { identityFact, memoryFact, OTHER, placeFact, SELF, serveCluster } from './served-cluster.ts';

describe('GET /api/groups', () => {
  test('answers summaries first, then the nodes of one group', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'), memoryFact(64), placeFact('r1'));
    served.report(OTHER, identityFact('bellows'), memoryFact(32), placeFact('r2'));
    const { json } = await fetchJson({ port: served.port, path: '/api/groups' });
    const { groups } = v.parse(groupsAnswerSchema, json);
    expect(groups.map(({ id, name, nodes }) => [id, name, nodes.count])).toEqual([
      ['greenwich/r1', 'r1', 1],
      ['greenwich/r2', 'r2', 1],
    ]);
    expect(groups[0]).toMatchObject({ kind: 'HGX H200', level: 'none', totals: { nodeCount: 1 } });
    const path = `/api/groups/members?by=rack&group=${encodeURIComponent('greenwich/r2')}`;
    const members = v.parse(groupMembersAnswerSchema, (await fetchJson({ port: served.port, path })).json);
    expect(members.members).toMatchObject([{ nodeId: OTHER, name: 'bellows', presence: 'up' }]);
  });

  test('counts every warning of a group, also where the list of warnings leaves some of a kind out', async () => {
    await using served = await serveCluster();
    for (let index = 0; index < 260; index += 1) {
      const node = nodeId(
        `${'abcdefghijklmnopqrstuvwxyz234567'[index >> 5]}${'abcdefghijklmnopqrstuvwxyz234567'[index & 31]}${'m'.repeat(24)}`,
      );
      served.report(node, identityFact(`n${index}`), placeFact('r1'));
    }
    await served.clock.advance(60_000);
    const { json } = await fetchJson({ port: served.port, path: '/api/groups' });
    const [rack] = v.parse(groupsAnswerSchema, json).groups;
    expect(rack).toMatchObject({ nodes: { count: 260, offline: 260 }, warnings: { danger: 260 } });
  });

  test('gives the reason for each two groups whose links are unknown', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'), placeFact('r1'));
    served.report(OTHER, identityFact('bellows'), placeFact('r2'));
    const { json } = await fetchJson({ port: served.port, path: '/api/groups/links?by=rack' });
    expect(v.parse(groupPairsAnswerSchema, json).pairs).toEqual([
      {
        groups: ['greenwich/r1', 'greenwich/r2'],
        linkCount: 0,
        medianBitsPerSecond: { kind: 'unknown', reason: 'not reachable' },
        worstBitsPerSecond: { kind: 'unknown', reason: 'not reachable' },
        worstNodes: [],
        isFlagged: false,
      },
    ]);
  });

  test('reports what it can group by, and which groups there are none of', async () => {
    await using served = await serveCluster();
    served.report(SELF, identityFact('anvil'));
    const requested = async (path: string) => (await fetchJson({ port: served.port, path })).json;
    expect(await requested('/api/groups?by=colour')).toMatchObject({ code: 'bad-query', parameter: 'by' });
    expect(await requested('/api/groups/members?by=tag:team&group=x')).toMatchObject({
      code: 'no-such-group',
    });
    expect(await requested('/api/groups/members?by=site')).toMatchObject({
      group: { id: '', reason: 'not read yet' },
    });
  });
});
