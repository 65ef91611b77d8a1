// What a program that reasons gets of a cluster whose members put hostile text into every field that other nodes accept.

import { expect, test } from 'vitest';
import { isJsonObject } from '../../../src/core/json.ts';
import { nodeIds } from '../../../src/core/node/presence-view.ts';
import { showable } from '../../../src/core/text/single-line.ts';
import { MCP_TOOLS } from '../../../src/daemon/mcp/mcp-server.ts';
import type { McpContext } from '../../../src/daemon/mcp/mcp-tool.ts';
import { HOSTILE_SIGN } from '../../support/hostile-events.ts';
import { hostileMoments } from '../../support/hostile-world.ts';

test('names and texts of members are values next to sentences, and nothing in them is invisible', async () => {
  let sentences = 0;
  let values = 0;
  for await (const { state, nowMs } of hostileMoments({ everySeconds: 100 })) {
    const context: McpContext = {
      state,
      nowMs,
      wallMs: nowMs,
      profileRows: async () => [],
    };
    for (const [name, given] of callsFor(nodeIds(state))) {
      const tool = MCP_TOOLS.find(each => each.name === name);
      const answer = await tool?.call(given, context);
      expect(answer?.text ?? '', name).not.toMatch(HOSTILE_SIGN);
      for (const { text, reported } of textsOf(answer?.structured)) {
        expect(showable(text), name).toBe(text);
        if (reported === 'sentence') {
          sentences += 1;
          expect(text, name).not.toMatch(HOSTILE_SIGN);
        } else if (HOSTILE_SIGN.test(text)) values += 1;
      }
    }
  }
  expect(sentences).toBeGreaterThan(100);
  expect(values).toBeGreaterThan(100);
});

const callsFor = (nodes: readonly string[]): readonly (readonly [tool: string, given: object])[] => [
  ['cluster_summary', {}],
  ['list_nodes', { limit: 100 }],
  ['worst_links', { limit: 100 }],
  ['warnings', { limit: 100 }],
  ...nodes.flatMap(node => [['node_detail', { node }] as const, ['explain_missing', { node }] as const]),
];

/** Each with whether it is the sentence of `{text, values}`. */
const textsOf = (
  value: unknown,
): readonly { readonly text: string; readonly reported: 'sentence' | 'value' }[] => {
  if (typeof value === 'string') return [{ text: value, reported: 'value' }];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (!isJsonObject(value)) return [];
  const isSentence = typeof value['text'] === 'string' && Array.isArray(value['values']);
  return Object.entries(value).flatMap(([name, inner]) =>
    isSentence && name === 'text' && typeof inner === 'string'
      ? [{ text: inner, reported: 'sentence' as const }]
      : textsOf(inner),
  );
};
