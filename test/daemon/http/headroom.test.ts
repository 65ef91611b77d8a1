import { expect, test } from 'vitest';
import { madeFacts } from '../../model/made-headers.ts';
import { bearer, postJson } from './http-exchange.ts';
import { identityFact, memoryFact, SELF, serveCluster, TOKEN } from './served-cluster.ts';

test('POST /api/headroom answers for the facts of a model, and refuses what is none', async () => {
  await using served = await serveCluster();
  served.tell(SELF, identityFact('anvil'), memoryFact(64));
  const ask = (body: unknown, headers = bearer(TOKEN)) =>
    postJson(served.port, '/api/headroom', body, headers);
  const model = await madeFacts('llama3-8b');
  const { status, body } = await ask({ model, question: { batch: 4 } });
  expect([status, JSON.parse(body)]).toMatchObject([
    200,
    {
      question: { engine: 'other', batch: 4, contextTokens: 4_096 },
      placements: [{ name: 'anvil', decode: { kind: 'unknown' }, behind: '' }],
    },
  ]);
  expect((await ask({ model, question: {}, nodes: [] })).body).toContain('"placements":[]');
  expect(await ask({ model: { name: 'x' }, question: {} })).toMatchObject({ status: 400 });
  expect(await ask({ model, question: { batch: 1e9 } })).toMatchObject({ status: 400 });
  expect(await ask({ model, question: {} }, bearer('another'))).toMatchObject({ status: 401 });
});
