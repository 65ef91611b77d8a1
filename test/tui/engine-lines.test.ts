// `plimsoll status` lists the servers of models that the nodes have found.

import { expect, test } from 'vitest';
import { factOf } from '../../src/core/event-kinds.ts';
import { unknown } from '../../src/core/unknown.ts';
import { renderStatus } from '../../src/tui/render-status.ts';
import { A, Cluster, NOW_MS } from '../support/linked-nodes.ts';

const OPTIONS = { columns: 80, color: false, isUnicode: true, isTerminal: true };

const engine = (port: number) => ({
  origin: `http://127.0.0.1:${port}`,
  engine: 'vLLM',
  version: '0.33.0',
  models: [{ name: 'Qwen/Qwen3-32B' }],
  requestsInFlight: port === 8_000 ? 3 : unknown('it is busy'),
  listensOn: '0.0.0.0',
  facts: unknown('test'),
});

const statusOf = (ports: readonly number[], nowMs = NOW_MS): string =>
  renderStatus(
    new Cluster().present().record(
      A,
      NOW_MS,
      factOf('engines.gathered', {
        source: 'HTTP',
        intervalMs: 5_000,
        value: { engines: ports.map(engine), others: [] },
      }),
    ).state,
    nowMs,
    [],
    OPTIONS,
  ).join('\n');

test('each with its models and requests, or why they are unknown', () => {
  const text = statusOf([8_000, 8_001]).replaceAll(/\s+/g, ' ');
  expect(text).toContain('aaaaaaaa vLLM 0.33.0 Qwen/Qwen3-32B 3 requests in flight http://127.0.0.1:8000');
  expect(text).toContain('Qwen/Qwen3-32B unknown: it is busy http://127.0.0.1:8001');
});

test('not of a node that is offline, and no more than are read', () => {
  expect(statusOf([8_000], NOW_MS + 3_600_000)).not.toContain('vLLM');
  const many = statusOf(Array.from({ length: 40 }, (_, at) => 8_000 + at));
  expect(many.match(/vLLM/g)).toHaveLength(32);
  expect(many).toContain('and 8 more engines');
});
