// The channel between coordinator and agent, over a line in memory.

import { describe, expect, test } from 'vitest';
import { channelToAgent, channelToCoordinator } from '../../../src/bench/fleet/framed-channel.ts';
import type { AgentMessage } from '../../../src/wire/agent-message.ts';
import { memoryLines } from '../../support/memory-line.ts';

const opened = () => {
  const lines = memoryLines();
  return {
    lines,
    toAgent: channelToAgent(lines.coordinator, 'boreas'),
    toCoordinator: channelToCoordinator(lines.agent, 'atlas'),
  };
};

describe('a channel between coordinator and agent', () => {
  test('carries messages both ways, whole and in order', async () => {
    const { toAgent, toCoordinator } = opened();
    await toAgent.send({ kind: 'ping', id: 1 });
    await toAgent.send({ kind: 'start', atNs: 5_000_000_001 });
    const received = [];
    for await (const message of toCoordinator.messages) {
      received.push(message);
      if (received.length === 2) break;
    }
    expect(received).toEqual([
      { kind: 'ping', id: 1 },
      { kind: 'start', atNs: 5_000_000_001 },
    ]);
    await toCoordinator.send({ kind: 'pong', id: 1, atNs: -7 });
    for await (const message of toAgent.messages) {
      expect(message).toEqual({ kind: 'pong', id: 1, atNs: -7 });
      break;
    }
    await toAgent.close('done');
  });

  test('ends after what was sent, and reports the reason to both ends', async () => {
    const { toAgent, toCoordinator } = opened();
    await toCoordinator.send({ kind: 'alive' });
    await toCoordinator.close('silent', 'nothing came for 5 s');
    const seen: AgentMessage[] = [];
    for await (const message of toAgent.messages) seen.push(message);
    expect(seen).toEqual([{ kind: 'alive' }]);
    expect(await toAgent.closed).toEqual({
      reason: 'silent',
      by: 'other end',
      detail: 'nothing came for 5 s',
    });
    expect(await toCoordinator.closed).toMatchObject({ reason: 'silent', by: 'this end' });
    expect(await toAgent.send({ kind: 'collect' })).toBe(false);
  });

  test('a connection that breaks is reported as lost', async () => {
    const { lines, toAgent } = opened();
    lines.cut();
    expect(await toAgent.closed).toMatchObject({ reason: 'lost', by: 'other end' });
  });

  test('passes over a kind that a newer version sends, and closes on what no version does', async () => {
    const { encode } = await import('@msgpack/msgpack');
    const lines = memoryLines();
    const toAgent = channelToAgent(lines.coordinator, 'boreas');
    const send = (value: unknown): void => lines.agent.write(0, encode(['plimsoll.agent/1', value]));
    send({ kind: 'weather', sky: 'blue' });
    send({ kind: 'alive' });
    send({ kind: 'pong', id: 'one', atNs: 1 });
    const seen: AgentMessage[] = [];
    for await (const message of toAgent.messages) seen.push(message);
    expect(seen).toEqual([{ kind: 'alive' }]);
    expect(await toAgent.closed).toMatchObject({ reason: 'malformed', by: 'this end' });
  });
});
