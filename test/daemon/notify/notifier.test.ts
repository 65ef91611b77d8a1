// Daemons of one cluster and a receiver on loopback: each warning arrives once when it is raised and once when it is cleared,
// from one node, past a receiver that fails, hangs and recovers, and past a node that stops.

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import type { WebhookConfig } from '../../../src/config/config.ts';
import { apply } from '../../../src/core/apply.ts';
import type { Fact } from '../../../src/core/event-kinds.ts';
import type { NodeId } from '../../../src/core/ids.ts';
import { Notices } from '../../../src/daemon/notices.ts';
import {
  LOOK_MS,
  NOTIFY_BACKOFF_MS_MAX,
  Notifier,
  REFUSALS_MAX,
} from '../../../src/daemon/notify/notifier.ts';
import { warningsMessageSchema } from '../../../src/wire/warnings-message.ts';
import { eventOf, groupedNodeId, groupedState, NOW_MS } from '../../support/grouped-nodes.ts';
import { until } from '../../support/until.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const STEP_MS = LOOK_MS;
/** Three hours. */
const STEPS_MAX = 2_160;
const MESSAGE = v.looseObject(warningsMessageSchema.entries);

test('a warning is sent once when it is raised and once when it is cleared, by one of three nodes', async () => {
  await using receiver = await webhookReceiver();
  await using cluster = notifyingCluster(receiver);
  await cluster.pass(60);
  expect(receiver.changes()).toEqual([]);
  cluster.memoryUse[1] = 0.99;
  await cluster.passUntil(() => cluster.sent() === 1);
  await cluster.pass(60);
  cluster.memoryUse[1] = 0.2;
  await cluster.passUntil(() => cluster.sent() === 2);
  await cluster.pass(600);
  expect(receiver.changes()).toEqual(['raised memory by anvil', 'cleared memory by anvil']);
  const raised = v.parse(MESSAGE, JSON.parse(receiver.bodies[0] ?? ''));
  expect(raised).toMatchObject({
    schema: 'plimsoll.warnings/1',
    webhook: 'ops',
    changes: [{ level: 'caution', nodes: [{ name: 'bolt' }], on: 'bolt' }],
  });
});

test('another node takes over when the sender is offline, goes on where it stopped, and keeps the lease', async () => {
  await using receiver = await webhookReceiver();
  await using cluster = notifyingCluster(receiver);
  cluster.memoryUse[2] = 0.99;
  await cluster.passUntil(() => cluster.sent() === 1);
  await cluster.stop(0);
  // The node that is gone is a warning itself.
  await cluster.passUntil(() => cluster.sent() === 2);
  cluster.memoryUse[2] = 0.2;
  await cluster.passUntil(() => cluster.sent() === 3);
  cluster.start(0);
  await cluster.passUntil(() => cluster.sent() === 4);
  cluster.memoryUse[2] = 0.99;
  await cluster.passUntil(() => cluster.sent() === 5);
  expect(receiver.changes()).toEqual([
    'raised memory by anvil',
    'raised presence by bolt',
    'cleared memory by bolt',
    'cleared presence by bolt',
    'raised memory by bolt',
  ]);
});

test.each([503, 500, 404])(
  'a receiver that answers %i for long, hangs and recovers gets what is still due, and a notice lasts until then',
  async answer => {
    await using receiver = await webhookReceiver();
    await using cluster = notifyingCluster(receiver, { nodes: 1 });
    receiver.answer = answer;
    cluster.memoryUse[0] = 0.99;
    await cluster.passUntil(() => cluster.notices.all.length === 1);
    await cluster.pass(2 * REFUSALS_MAX * (NOTIFY_BACKOFF_MS_MAX / 1_000));
    expect(cluster.notices.all[0]).toMatchObject({ code: 'webhook-down', webhook: 'ops' });
    expect(JSON.stringify(cluster.notices.all)).not.toContain('secret');
    receiver.answer = 'none';
    const failed = receiver.bodies.length;
    await cluster.passUntil(() => receiver.bodies.length > failed);
    await cluster.pass(60);
    receiver.answer = 200;
    receiver.bodies.length = 0;
    await cluster.passUntil(() => cluster.sent() === 1);
    expect(receiver.changes()).toEqual(['raised memory by anvil']);
    expect(cluster.notices.all).toEqual([]);
    expect(cluster.status()).toMatchObject({ dropped: 0, problem: '' });
  },
);

test('what is over before the receiver recovers is never sent, and it is tried less and less often', async () => {
  await using receiver = await webhookReceiver();
  await using cluster = notifyingCluster(receiver, { nodes: 1 });
  receiver.answer = 503;
  cluster.memoryUse[0] = 0.99;
  await cluster.passUntil(() => cluster.notices.all.length === 1);
  cluster.memoryUse[0] = 0.2;
  receiver.answer = 200;
  receiver.bodies.length = 0;
  await cluster.pass((2 * NOTIFY_BACKOFF_MS_MAX) / 1_000);
  expect(receiver.bodies).toEqual([]);
});

test('changes that a receiver refuses again and again are given up and counted', async () => {
  await using receiver = await webhookReceiver();
  await using cluster = notifyingCluster(receiver, { nodes: 1 });
  receiver.answer = 400;
  cluster.memoryUse[0] = 0.99;
  await cluster.passUntil(() => cluster.status()?.dropped === 1);
  expect(receiver.bodies).toHaveLength(REFUSALS_MAX);
  expect(cluster.status()).toMatchObject({ sent: 0, problem: 'status 400' });
  await cluster.pass(600);
  expect(receiver.bodies).toHaveLength(REFUSALS_MAX);
});

test('a receiver that asks for a pause of minutes is left alone for as long', async () => {
  await using receiver = await webhookReceiver();
  await using cluster = notifyingCluster(receiver, { nodes: 1 });
  receiver.retryAfterSeconds = 200;
  receiver.answer = 429;
  cluster.memoryUse[0] = 0.99;
  await cluster.passUntil(() => cluster.notices.all.length === 1);
  expect(receiver.bodies).toHaveLength(1);
  receiver.answer = 200;
  await cluster.pass(180);
  expect(receiver.bodies).toHaveLength(1);
  await cluster.passUntil(() => cluster.sent() === 1);
});

test('a change of config.toml cuts off no message, and forgets nothing of a webhook that stays as it was', async () => {
  await using receiver = await webhookReceiver();
  await using cluster = notifyingCluster(receiver, { nodes: 1 });
  receiver.answer = 'none';
  cluster.memoryUse[0] = 0.99;
  await cluster.passUntil(() => receiver.isSilent);
  cluster.configure({});
  cluster.configure({ level: 'note' });
  receiver.reply();
  receiver.answer = 200;
  await cluster.pass(120);
  expect(receiver.changes()).toEqual(['raised memory by anvil']);
  cluster.configure({ level: 'note' });
  await cluster.pass(5);
  expect(cluster.status()).toMatchObject({ open: 1, isSender: true });
});

test('Alertmanager is reminded of what is open, and is sent its end', async () => {
  await using receiver = await webhookReceiver();
  await using cluster = notifyingCluster(receiver, { nodes: 1, format: 'alertmanager' });
  cluster.memoryUse[0] = 0.99;
  await cluster.passUntil(() => cluster.sent() === 1);
  await cluster.passUntil(() => receiver.bodies.length === 3);
  cluster.memoryUse[0] = 0.2;
  await cluster.passUntil(() => cluster.sent() === 2);
  const alerts = receiver.bodies.map(body => v.parse(ALERTS, JSON.parse(body)));
  expect(new Set(receiver.paths)).toEqual(new Set(['/hooks/secret/api/v2/alerts']));
  const first = alerts[0]?.[0];
  expect(first?.labels).toMatchObject({ alertname: 'PlimsollWarning', severity: 'warning', nodes: 'anvil' });
  for (const [alert] of alerts) expect(alert?.labels).toEqual(first?.labels);
  const ends = alerts.map(([alert]) => Date.parse(alert?.endsAt ?? ''));
  // Each repetition puts the end off; the last message ends it at once.
  expect(ends.slice(0, -1)).toEqual(ends.slice(0, -1).toSorted((a, b) => a - b));
  expect(ends.at(-1)).toBeLessThan(ends.at(-2) ?? 0);
  const count = receiver.bodies.length;
  await cluster.pass(300);
  expect(receiver.bodies).toHaveLength(count);
});

test('Slack is sent one text with what is escaped as it requires', async () => {
  await using receiver = await webhookReceiver();
  await using cluster = notifyingCluster(receiver, { nodes: 1, format: 'slack', name: '<!channel> & co' });
  cluster.memoryUse[0] = 0.99;
  await cluster.passUntil(() => cluster.sent() === 1);
  const { text } = v.parse(v.strictObject({ text: v.string() }), JSON.parse(receiver.bodies[0] ?? ''));
  expect(text).toContain('&lt;!channel&gt; &amp; co');
  expect(text).not.toContain('<!channel>');
});

const webhookReceiver = async () => {
  const bodies: string[] = [];
  const paths: string[] = [];
  const silent = new Set<ServerResponse>();
  const setting: { answer: number | 'none'; retryAfterSeconds: number | undefined } = {
    answer: 200,
    retryAfterSeconds: undefined,
  };
  const server = createServer((request, reply) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.once('end', () => {
      bodies.push(body);
      paths.push(request.url ?? '');
      if (setting.answer === 'none') {
        silent.add(reply);
        reply.once('close', () => silent.delete(reply));
      } else {
        const { answer, retryAfterSeconds } = setting;
        reply
          .writeHead(
            answer,
            retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
          )
          .end();
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hooks/secret`,
    bodies,
    paths,
    get isSilent() {
      return silent.size > 0;
    },
    set retryAfterSeconds(seconds: number) {
      setting.retryAfterSeconds = seconds;
    },
    /** To those that wait for it. */
    reply: () => {
      for (const reply of silent) reply.writeHead(200).end();
    },
    set answer(answer: number | 'none') {
      setting.answer = answer;
    },
    /** "raised memory by anvil" */
    changes: (): readonly string[] =>
      bodies.flatMap(body => {
        const { changes, sender } = v.parse(MESSAGE, JSON.parse(body));
        return changes.map(({ event, id }) => `${event} ${id.split(' ')[0]} by ${sender.name}`);
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

type WebhookReceiver = Awaited<ReturnType<typeof webhookReceiver>>;

/** Counts requests in flight: only their limits are longer than a look and the pauses between tries. */
class RequestClock extends VirtualClock {
  requests = 0;

  override async sleep(durationMs: number, signal: AbortSignal): Promise<void> {
    if (durationMs <= LOOK_MS) return await super.sleep(durationMs, signal);
    this.requests += 1;
    try {
      await super.sleep(durationMs, signal);
    } finally {
      this.requests -= 1;
    }
  }
}

interface ClusterOptions {
  readonly nodes?: number;
  readonly format?: WebhookConfig['format'];
  readonly name?: string;
}

/** Daemons that all have the same state, as nodes of a mesh converge to it. */
const notifyingCluster = (
  receiver: WebhookReceiver,
  { nodes = 3, format = 'json', name }: ClusterOptions = {},
) => {
  const names = ['anvil', 'bolt', 'clamp']
    .slice(0, nodes)
    .map((each, index) => (index === 0 ? (name ?? each) : each));
  const clock = new RequestClock({ nowMs: NOW_MS });
  const notices = new Notices(() => undefined);
  const memoryUse = names.map(() => 0.2);
  let state = groupedState(names.map(each => ({ name: each, webhooks: ['ops'], memoryUse: 0.2 })));
  const seqs = new Map<string, number>();
  const record = (origin: NodeId, fact: Fact): void => {
    const key = `${origin} ${fact.kind}`;
    const seq = (seqs.get(key) ?? 2) + 1;
    seqs.set(key, seq);
    state = apply(state, eventOf(origin, fact, { seq, receivedAtMs: clock.nowMs() }));
  };
  let webhook: WebhookConfig = {
    name: 'ops',
    url: receiver.url,
    format,
    level: 'caution',
    raisedAfterMs: 30_000,
    clearedAfterMs: 60_000,
  };
  const changed = new Set<() => void>();
  const running = new Map<number, { readonly stop: AbortController; readonly ended: Promise<void> }>();
  const notifiers: (Notifier | undefined)[] = [];
  let sentByStopped = 0;
  const start = (index: number): void => {
    const stop = new AbortController();
    const nodeId = groupedNodeId(index);
    const notifier = new Notifier({
      nodeId,
      clock,
      notices,
      state: () => state,
      record: fact => {
        record(nodeId, fact);
        return 'reported';
      },
      settings: {
        onChange: listener => {
          changed.add(listener);
          return () => changed.delete(listener);
        },
      },
      webhooks: () => [webhook],
    });
    notifiers[index] = notifier;
    running.set(index, { stop, ended: notifier.run(stop.signal) });
  };
  const stop = async (index: number): Promise<void> => {
    const one = running.get(index);
    running.delete(index);
    one?.stop.abort();
    await one?.ended;
    sentByStopped += notifiers[index]?.status[0]?.sent ?? 0;
    notifiers[index] = undefined;
  };
  const step = async (): Promise<void> => {
    for (const index of running.keys()) {
      const nodeId = groupedNodeId(index);
      record(nodeId, { kind: 'memory.gathered', payload: memoryReading(memoryUse[index] ?? 0) });
      for (const reading of ['identity', 'config'] as const)
        record(nodeId, {
          kind: 'reading.confirmed',
          payload: { reading, vendor: 'none', source: 'test', intervalMs: 30_000 },
        });
    }
    await clock.advance(STEP_MS);
    // Virtual time waits for what comes over a real socket, unless the receiver does not reply.
    await until(() => clock.requests === 0 || receiver.isSilent, AbortSignal.timeout(30_000));
  };
  for (const index of names.keys()) start(index);
  return {
    clock,
    notices,
    memoryUse,
    start,
    stop,
    configure: (change: Partial<WebhookConfig>) => {
      webhook = { ...webhook, ...change };
      for (const listener of changed) listener();
    },
    status: () => notifiers[0]?.status[0],
    sent: () => notifiers.reduce((sum, one) => sum + (one?.status[0]?.sent ?? 0), sentByStopped),
    pass: async (seconds: number) => {
      for (let passed = 0; passed < seconds * 1_000; passed += STEP_MS) await step();
    },
    passUntil: async (isThere: () => boolean) => {
      for (let steps = 0; !isThere(); steps += 1) {
        if (steps > STEPS_MAX) throw new Error(`not within ${(steps * STEP_MS) / 1_000} s`);
        await step();
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const index of [...running.keys()]) await stop(index);
    },
  };
};

const memoryReading = (use: number) => ({
  source: 'test',
  intervalMs: 30_000,
  value: {
    totalBytes: 1e12,
    availableBytes: 1e12 * (1 - use),
    swapTotalBytes: 0,
    swapUsedBytes: 0,
    pressure: { level: 'normal' as const, stalledShare: 0 },
    container: { kind: 'none' as const },
  },
});

/** https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml, postableAlerts. */
const ALERTS = v.array(
  v.strictObject({
    labels: v.record(v.pipe(v.string(), v.regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/)), v.string()),
    annotations: v.record(v.string(), v.string()),
    startsAt: v.pipe(v.string(), v.isoTimestamp()),
    endsAt: v.pipe(v.string(), v.isoTimestamp()),
  }),
);
