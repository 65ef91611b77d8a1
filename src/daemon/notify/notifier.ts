// Sends warnings of the cluster to the webhooks of config.toml. What is due follows from state alone: a receiver that is down costs
// no queue, gets what is due when it takes messages again, and never what was over in between.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, pause, untilAborted } from '../../clock/clock.ts';
import type { WebhookConfig } from '../../config/config.ts';
import type { NodeId } from '../../core/ids.ts';
import { nodeName, nodeView } from '../../core/node/node-view.ts';
import { nodeIds } from '../../core/node/presence-view.ts';
import { dueNotifications, type WatchedWarning } from '../../core/notify/due-notifications.ts';
import type { SentWarning } from '../../core/notify/notifications.ts';
import { lastSent, notifyingNode } from '../../core/notify/notifying-node.ts';
import { TEXT_LENGTH_MAX } from '../../core/schema.ts';
import type { State } from '../../core/state.ts';
import { WarningWatch } from '../../core/warnings/cluster-warnings.ts';
import { WARNING_LEVELS, type Warning } from '../../core/warnings/warning.ts';
import { type Delivered, deliver } from '../../report/deliver.ts';
import type { WebhookAnswer } from '../../wire/api/daemon-answers.ts';
import type { LiveConfig } from '../live-config.ts';
import type { LocalNode } from '../local-node.ts';
import type { Notices } from '../notices.ts';
import { type NotifiedWarning, WEBHOOK_BODIES } from './webhook-formats.ts';

/** How often warnings are compared with what was sent, ms. */
export const LOOK_MS = 5_000;
/** Of many nodes, a look takes long. */
const LOOK_OF_MANY_MS = 30_000;
const MANY_NODES = 64;
/** For all tries of one message, ms. */
const DELIVERY_MS_MAX = 30_000;
/** Longest pause before a receiver that takes nothing is tried again, ms. */
export const NOTIFY_BACKOFF_MS_MAX = 300_000;
/** A receiver that refuses the body of a message so often will not take it: its changes are given up. */
export const REFUSALS_MAX = 5;

interface NotifierParts extends Pick<LocalNode, 'nodeId' | 'state' | 'record'> {
  readonly clock: Clock;
  readonly notices: Pick<Notices, 'raise' | 'clear'>;
  readonly settings: Pick<LiveConfig, 'onChange'>;
  readonly webhooks: () => readonly WebhookConfig[];
}

export class Notifier {
  readonly #parts: NotifierParts;
  readonly #warnings = new WarningWatch();
  /** By their settings, in the order of config.toml. */
  #running: ReadonlyMap<string, RunningSender> = new Map();

  constructor(parts: NotifierParts) {
    this.#parts = parts;
  }

  get status(): readonly WebhookAnswer[] {
    return [...this.#running.values()].map(({ sender }) => sender.status);
  }

  /** Until the abort; resolves then. A webhook that changes in config.toml is taken up at once; others go on. */
  async run(until: AbortSignal): Promise<void> {
    const { settings, webhooks } = this.#parts;
    let changed = new AbortController();
    let failure: { readonly error: unknown } | undefined;
    const unsubscribe = settings.onChange(() => changed.abort());
    const start = (webhook: WebhookConfig): RunningSender => {
      const sender = new WebhookSender(this.#parts, webhook, signal => this.#read(signal));
      const stop = new AbortController();
      const ended = sender.run(AbortSignal.any([until, stop.signal]), until).catch((error: unknown) => {
        failure = { error };
        changed.abort();
      });
      return { sender, stop, ended };
    };
    try {
      while (!until.aborted && failure === undefined) {
        changed = new AbortController();
        const wanted = new Map(firstOfEachName(webhooks()).map(one => [JSON.stringify(one), one]));
        for (const [key, one] of this.#running) if (!wanted.has(key)) await ended(one);
        this.#running = new Map(
          [...wanted].map(([key, webhook]) => [key, this.#running.get(key) ?? start(webhook)]),
        );
        await untilAborted(AbortSignal.any([until, changed.signal]));
      }
    } finally {
      unsubscribe();
      for (const one of this.#running.values()) await ended(one);
    }
    if (failure !== undefined) throw failure.error;
  }

  /** The warnings that people see; in pieces, because readers and the mesh go first. */
  async #read(signal: AbortSignal): Promise<Look> {
    const state = this.#parts.state();
    const nowMs = this.#parts.clock.nowMs();
    const views = nodeIds(state).map(id => nodeView(state, id, nowMs));
    const turns = this.#warnings.turns({ state, views, nowMs });
    for (;;) {
      const turn = turns.next();
      if (turn.done === true) return { state, nowMs, found: turn.value, isLarge: views.length > MANY_NODES };
      if (views.length > MANY_NODES && !signal.aborted) await nextTurn();
    }
  }
}

interface RunningSender {
  readonly sender: WebhookSender;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

const ended = async (one: RunningSender): Promise<void> => {
  one.stop.abort();
  await one.ended;
  one.sender.close();
};

interface Look {
  readonly state: State;
  readonly nowMs: number;
  readonly found: readonly Warning[];
  readonly isLarge: boolean;
}

/** One webhook: one message at a time. */
class WebhookSender {
  readonly #parts: NotifierParts;
  readonly #webhook: WebhookConfig;
  readonly #read: (signal: AbortSignal) => Promise<Look>;
  #status: WebhookAnswer;
  #watched: ReadonlyMap<string, WatchedWarning> = new Map();
  /** Messages in a row that were not taken. */
  #failures = 0;
  /** Of these, messages whose body the receiver refused. */
  #refusals = 0;
  #nextMs = Number.NEGATIVE_INFINITY;
  #repeatAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: NotifierParts, webhook: WebhookConfig, read: (signal: AbortSignal) => Promise<Look>) {
    this.#parts = parts;
    this.#webhook = webhook;
    this.#read = read;
    const { name, format } = webhook;
    this.#status = { name, format, isSender: false, open: 0, sent: 0, dropped: 0, problem: '' };
  }

  get status(): WebhookAnswer {
    return this.#status;
  }

  /** @param until a message that is under way is sent to its end before: cut off, it might arrive and be sent again */
  async run(signal: AbortSignal, until: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    let waitMs = LOOK_MS;
    for (;;) {
      await pause(clock, waitMs, signal);
      if (signal.aborted) return;
      const look = await this.#read(signal);
      if (signal.aborted) return;
      waitMs = look.isLarge ? LOOK_OF_MANY_MS : LOOK_MS;
      await this.#act(look, until);
    }
  }

  close(): void {
    this.#parts.notices.clear(this.#noticeId);
  }

  async #act({ state, nowMs, found }: Look, signal: AbortSignal): Promise<void> {
    const { nodeId } = this.#parts;
    const { name, level, raisedAfterMs, clearedAfterMs, format } = this.#webhook;
    const levels = WARNING_LEVELS.slice(0, WARNING_LEVELS.indexOf(level) + 1);
    const last = lastSent(state, name);
    const open = last?.open ?? [];
    const { raised, cleared, watched } = dueNotifications({
      // 'more' counts what the list leaves out: it is no warning of its own.
      found: found.filter(
        warning =>
          levels.includes(warning.level) && warning.id !== 'more' && warning.id.length <= TEXT_LENGTH_MAX,
      ),
      open,
      watched: this.#watched,
      nowMs,
      raisedAfterMs,
      clearedAfterMs,
    });
    this.#watched = watched;
    const isSender = notifyingNode(state, name, { viewer: nodeId, nowMs }) === nodeId;
    this.#status = { ...this.#status, isSender, open: open.length };
    if (!isSender) this.#recover();
    const { repeatMs } = WEBHOOK_BODIES[format];
    const isRepeated = repeatMs !== undefined && open.length > 0 && nowMs >= this.#repeatAtMs;
    const count = raised.length + cleared.length;
    if (!isSender || nowMs < this.#nextMs || (count === 0 && !isRepeated)) return;
    const wallMs = this.#parts.clock.wallMs();
    const sent = raised.map(warning => sentWarning(warning, wallMs));
    const gone = new Set(cleared.map(({ id }) => id));
    const left = [...open.filter(({ id }) => !gone.has(id)), ...sent];
    const delivered = await this.#deliver(
      { state, found, wallMs, raised: sent, cleared, open: left },
      signal,
    );
    if (delivered === undefined) return;
    const isSettled = this.#settle(delivered, count);
    if (!isSettled) return;
    this.#repeatAtMs = this.#parts.clock.nowMs() + (repeatMs ?? 0);
    this.#status = { ...this.#status, open: left.length };
    if (count === 0) return;
    const term = last?.node === nodeId ? last.term : (last?.term ?? 0) + 1;
    this.#parts.record({ kind: 'notifications.sent', payload: { webhook: name, term, open: left } });
  }

  /** Undefined after an abort. */
  async #deliver(
    {
      state,
      found,
      wallMs,
      ...changes
    }: {
      readonly state: State;
      readonly found: readonly Warning[];
      readonly wallMs: number;
      readonly raised: readonly SentWarning[];
      readonly cleared: readonly SentWarning[];
      readonly open: readonly SentWarning[];
    },
    signal: AbortSignal,
  ): Promise<Delivered | undefined> {
    const { clock, nodeId: sender } = this.#parts;
    const { name: webhook, url, format } = this.#webhook;
    const { path, body } = WEBHOOK_BODIES[format];
    const byId = new Map(found.map(warning => [warning.id, warning]));
    const notified = (warnings: readonly SentWarning[]): readonly NotifiedWarning[] =>
      warnings.map(warning => ({ ...warning, found: byId.get(warning.id) }));
    const content = body({
      webhook,
      sender,
      wallMs,
      nameOf: (node: NodeId) => nodeName(state, node),
      raised: notified(changes.raised),
      cleared: notified(changes.cleared),
      open: notified(changes.open),
    });
    try {
      return await deliver(withPath(url, path), {
        clock,
        signal,
        body: Buffer.from(JSON.stringify(content)),
        untilMs: clock.nowMs() + DELIVERY_MS_MAX,
      });
    } catch (error) {
      if (!signal.aborted) throw error;
      return undefined;
    }
  }

  /** Whether the receiver has these changes, or will never take them. */
  #settle(delivered: Delivered, count: number): boolean {
    const { notices, clock } = this.#parts;
    if (delivered.kind === 'taken') {
      this.#recover();
      this.#status = { ...this.#status, sent: this.#status.sent + count };
      return true;
    }
    const { failure, isBodyRefused, retryAfterMs } = delivered;
    this.#failures += 1;
    // One that is broken, moved or locks it out may be repaired: it then gets what is due, however long that takes.
    if (isBodyRefused) this.#refusals += 1;
    const backoffMs = Math.max(LOOK_MS * 2 ** this.#failures, retryAfterMs ?? 0);
    this.#nextMs = clock.nowMs() + Math.min(backoffMs, NOTIFY_BACKOFF_MS_MAX);
    const isGivenUp = this.#refusals >= REFUSALS_MAX;
    if (isGivenUp) this.#refusals = 0;
    const dropped = this.#status.dropped + (isGivenUp ? count : 0);
    this.#status = { ...this.#status, dropped, problem: failure };
    notices.raise({
      id: this.#noticeId,
      code: 'webhook-down',
      webhook: this.#webhook.name,
      problem: `The webhook "${this.#webhook.name}" does not take warnings: ${failure}.`,
      advice: 'Check its url in config.toml and the receiver. The daemon retries with what is due then.',
    });
    return isGivenUp;
  }

  #recover(): void {
    this.#failures = 0;
    this.#refusals = 0;
    this.#nextMs = Number.NEGATIVE_INFINITY;
    this.#status = { ...this.#status, problem: '' };
    this.#parts.notices.clear(this.#noticeId);
  }

  get #noticeId(): string {
    return `webhook-down ${this.#webhook.name}`;
  }
}

const sentWarning = ({ id, level, title, nodes }: Warning, wallMs: number): SentWarning => ({
  id,
  level,
  title: title.slice(0, TITLE_LENGTH_MAX),
  nodes: nodes.slice(0, NODES_MAX),
  startsAt: new Date(wallMs).toISOString(),
});

/** Each has one list of what was sent. */
const firstOfEachName = (webhooks: readonly WebhookConfig[]): readonly WebhookConfig[] =>
  webhooks.filter(({ name }, index) => webhooks.findIndex(other => other.name === name) === index);

const withPath = (url: string, path: string): URL => {
  const whole = new URL(url);
  const base = whole.pathname.replace(/\/+$/, '');
  if (path !== '' && !base.endsWith(path)) whole.pathname = `${base}${path}`;
  return whole;
};

const NODES_MAX = 8;
const TITLE_LENGTH_MAX = 300;
