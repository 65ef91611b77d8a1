import * as v from 'valibot';
import { expect, test } from 'vitest';
import { knownPart } from '../../../src/core/schema.ts';
import { headroomDocumentSchema } from '../../../src/wire/headroom-schema.ts';
import { madeFacts } from '../../model/made-headers.ts';
import { bearer, postJson } from './http-exchange.ts';
import { identityFact, memoryFact, SELF, serveCluster, TOKEN } from './served-cluster.ts';

test('POST /api/headroom answers for the facts of a model, and refuses what is none', async () => {
  await using served = await serveCluster();
  served.report(SELF, identityFact('anvil'), memoryFact(64e9));
  const sendRequest = (body: unknown, headers = bearer(TOKEN)) =>
    postJson(served.port, '/api/headroom', body, headers);
  const model = await madeFacts('llama3-8b');
  const { status, body } = await sendRequest({ model, question: { batch: 4 } });
  expect([status, JSON.parse(body)]).toMatchObject([
    200,
    {
      question: { engine: 'other', batch: 4, contextTokens: 4_096 },
      placements: [{ name: 'anvil', decode: { kind: 'unknown' }, behind: '' }],
    },
  ]);
  // Every field of it is described, and in the memory that is free now there is less room.
  const { model: _, ...answer } = JSON.parse(body);
  expect(knownPart(headroomDocumentSchema, JSON.parse(body))).toMatchObject(answer);
  expect(v.is(headroomDocumentSchema, JSON.parse(body))).toBe(true);
  const [{ fit, fitNow }] = answer.placements;
  expect([fit.kind, fitNow.kind]).toEqual(['fits', 'fits']);
  expect(fit.freeBytes - fitNow.freeBytes).toBe(32e9);
  expect((await sendRequest({ model, question: {}, nodes: [] })).body).toContain('"placements":[]');
  expect(await sendRequest({ model: { name: 'x' }, question: {} })).toMatchObject({ status: 400 });
  expect(await sendRequest({ model, question: { batch: 1e9 } })).toMatchObject({ status: 400 });
  expect(await sendRequest({ model, question: {} }, bearer('another'))).toMatchObject({ status: 401 });
});
