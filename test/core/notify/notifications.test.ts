// Which node sends to a webhook, what it goes on from, and when a warning is due: from state and a clock alone.

import { expect, test } from 'vitest';
import { applyAll } from '../../../src/core/apply.ts';
import { dueNotifications, type WatchedWarning } from '../../../src/core/notify/due-notifications.ts';
import { OPEN_WARNINGS_MAX, type SentWarning } from '../../../src/core/notify/notifications.ts';
import { lastSent, notifyingNode } from '../../../src/core/notify/notifying-node.ts';
import type { Warning } from '../../../src/core/warnings/warning.ts';
import { eventOf, groupedNodeId, groupedState, NOW_MS } from '../../support/grouped-nodes.ts';

const [anvil, bolt, clamp] = [groupedNodeId(0), groupedNodeId(1), groupedNodeId(2)];

const cluster = (silentMs: readonly number[], sent: readonly (readonly [number, number])[] = []) =>
  groupedState(
    ['anvil', 'bolt', 'clamp'].map((name, index) => ({
      name,
      webhooks: index === 2 ? ['ops', 'chat'] : ['ops'],
      silentMs: silentMs[index] ?? 0,
    })),
    sent.map(([index, term]) =>
      eventOf(
        groupedNodeId(index),
        { kind: 'notifications.sent', payload: { webhook: 'ops', term, open: [sentWarning(`of ${term}`)] } },
        // After the events of the node; nothing of it arrives later than the rest.
        { seq: 3, receivedAtMs: NOW_MS - (silentMs[index] ?? 0) },
      ),
    ),
  );

const sentWarning = (id: string): SentWarning => ({
  id,
  level: 'caution',
  title: id,
  nodes: [],
  startsAt: '2026-11-28T09:00:00.000Z',
});

const seenBy = (viewer: typeof anvil) => ({ viewer, nowMs: NOW_MS });

test('the node with the smallest id sends first, to a webhook that it has', () => {
  const state = cluster([0, 0, 0]);
  for (const viewer of [anvil, bolt, clamp]) expect(notifyingNode(state, 'ops', seenBy(viewer))).toBe(anvil);
  expect(notifyingNode(state, 'chat', seenBy(anvil))).toBe(clamp);
  expect(notifyingNode(state, 'nobody has it', seenBy(anvil))).toBeUndefined();
});

test('the node that sent last goes on, also while it is stale, and until it is offline', () => {
  expect(notifyingNode(cluster([0, 0, 0], [[1, 1]]), 'ops', seenBy(anvil))).toBe(bolt);
  expect(notifyingNode(cluster([0, 15_000, 0], [[1, 1]]), 'ops', seenBy(anvil))).toBe(bolt);
  expect(notifyingNode(cluster([0, 30_000, 0], [[1, 1]]), 'ops', seenBy(anvil))).toBe(anvil);
});

test('a node that comes back goes on from the list of the one that took over', () => {
  const state = cluster(
    [0, 0, 0],
    [
      [0, 1],
      [1, 2],
    ],
  );
  expect(lastSent(state, 'ops')).toMatchObject({ node: bolt, term: 2, open: [{ id: 'of 2' }] });
  expect(notifyingNode(state, 'ops', seenBy(anvil))).toBe(bolt);
  expect(lastSent(state, 'chat')).toBeUndefined();
});

test('after a partition in which both sides sent, every node chooses the same one', () => {
  const state = cluster(
    [0, 0, 0],
    [
      [0, 2],
      [1, 2],
    ],
  );
  for (const viewer of [anvil, bolt, clamp]) expect(notifyingNode(state, 'ops', seenBy(viewer))).toBe(anvil);
});

test('a node without the webhook in its config.toml loses the lease', () => {
  const state = applyAll(groupedState([{ name: 'anvil' }, { name: 'bolt', webhooks: ['ops'] }]), [
    eventOf(
      anvil,
      { kind: 'notifications.sent', payload: { webhook: 'ops', term: 7, open: [] } },
      { seq: 3 },
    ),
  ]);
  expect(lastSent(state, 'ops')?.term).toBe(7);
  expect(notifyingNode(state, 'ops', seenBy(anvil))).toBe(bolt);
});

const warning = (id: string): Warning => ({ id, level: 'caution', nodes: [], title: id, why: '' });

/** Once a second; what is due counts as sent at once. */
const sentOver = (isThere: (second: number) => boolean, seconds: number) => {
  const sent: string[] = [];
  let open: readonly SentWarning[] = [];
  let watched: ReadonlyMap<string, WatchedWarning> = new Map();
  for (let second = 0; second < seconds; second += 1) {
    const found = isThere(second) ? [warning('flaps')] : [];
    const due = dueNotifications({
      found,
      open,
      watched,
      nowMs: second * 1_000,
      raisedAfterMs: 30_000,
      clearedAfterMs: 300_000,
    });
    watched = due.watched;
    for (const { id } of due.raised) {
      sent.push(`${second} raised`);
      open = [sentWarning(id)];
    }
    for (const _ of due.cleared) {
      sent.push(`${second} cleared`);
      open = [];
    }
  }
  return sent;
};

test('a warning is due once it has lasted, and cleared once it has been over for long enough', () => {
  expect(sentOver(second => second >= 10 && second < 100, 1_000)).toEqual(['40 raised', '400 cleared']);
});

test('one that comes and goes is sent once', () => {
  expect(sentOver(second => second % 120 < 60 && second < 3_600, 5_000)).toEqual([
    '30 raised',
    '3840 cleared',
  ]);
});

test('one that never lasts is not sent', () => {
  expect(sentOver(second => second % 40 < 20, 5_000)).toEqual([]);
});

test('what was not sent stays due, and what is over by then is not sent at all', () => {
  const limits = { raisedAfterMs: 5_000, clearedAfterMs: 5_000 };
  let watched: ReadonlyMap<string, WatchedWarning> = new Map();
  const dueAt = (nowMs: number, found: readonly Warning[]) => {
    const due = dueNotifications({ found, open: [], watched, nowMs, ...limits });
    watched = due.watched;
    return due.raised.map(({ id }) => id);
  };
  expect(dueAt(0, [warning('a'), warning('b')])).toEqual([]);
  expect(dueAt(5_000, [warning('a'), warning('b')])).toEqual(['a', 'b']);
  expect(dueAt(60_000, [warning('b')])).toEqual(['b']);
  expect(watched.size).toBe(1);
});

test('no more are raised than are remembered', () => {
  const open = Array.from({ length: OPEN_WARNINGS_MAX - 1 }, (_, index) => sentWarning(`open ${index}`));
  const found = [...open, sentWarning('new a'), sentWarning('new b')].map(({ id }) => warning(id));
  const watched = new Map(['new a', 'new b'].map(id => [id, { isFound: true, sinceMs: 0 }]));
  const due = dueNotifications({
    found,
    open,
    watched,
    nowMs: 5_000,
    raisedAfterMs: 5_000,
    clearedAfterMs: 5_000,
  });
  expect(due.raised.map(({ id }) => id)).toEqual(['new a']);
});
