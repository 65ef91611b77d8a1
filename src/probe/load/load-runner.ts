// Keeps devices and connections of this node busy at once, for some seconds, because a person who accepts the cluster requested it.
// The node decides as for a probe: nothing starts while a runner is active or something else is measured, a sink agrees by lease, and
// a runner that starts ends it. Nothing is recorded: the figures go to the requester.

import type { NodeId } from '../../core/ids.ts';
import { DEVICE_MEASURES } from '../../core/node/gpu-profile.ts';
import { activityOn } from '../../core/probe/activity.ts';
import { type Load, SENT_RATE } from '../../core/probe/load.ts';
import type { ProbeSubject } from '../../core/probe/probe-status.ts';
import { isKnown, knownOr, unknown } from '../../core/unknown.ts';
import type { OwnLoads } from '../../wire/api/load-answers.ts';
import { attemptLink } from '../lease/link-attempt.ts';
import type { LinkEngine, LinkLoad, MeasureRequest } from '../link-engine.ts';
import { failedProbe } from '../link-outcome.ts';
import { type DeviceMeasurement, type ProbeDevice, type ProbeOutcome, withDeadline } from '../probe.ts';
import type { ProbeRunnerParts } from '../reconcile/probe-runner.ts';
import { OFF } from '../reconcile/reconciler.ts';
import { unlessActive } from '../reconcile/unless-active.ts';
import { sourcePorts } from '../schedule/link-ports.ts';
import { budgetOf, LINK_PROBES_MAX } from '../schedule/probe-settings.ts';

interface LoadRunnerParts extends ProbeRunnerParts {
  readonly devices: () => readonly ProbeDevice[];
}

type LinkSubject = Extract<ProbeSubject, { kind: 'link' }>;
type Loaded = Extract<Load, { kind: 'loaded' }>;

export class LoadRunner {
  readonly #parts: LoadRunnerParts;

  constructor(parts: LoadRunnerParts) {
    this.#parts = parts;
  }

  /** All at once. @throws only the signal's reason, when it aborts */
  async load(requested: OwnLoads, signal: AbortSignal): Promise<readonly Load[]> {
    const { clock, settings } = this.#parts;
    const { subjects } = requested;
    if (!settings().isEnabled) return subjects.map(subject => idle(subject, OFF));
    const startedAtMs = clock.nowMs();
    const since = (): number => clock.nowMs() - startedAtMs;
    const links = subjects.flatMap(subject =>
      subject.kind === 'link' ? [this.#loadLink(subject, requested, { since, signal })] : [],
    );
    const devices = this.#loadDevices(requested, { since, signal });
    return [...(await Promise.all(links)), ...(await devices)];
  }

  async #loadLink(
    subject: LinkSubject,
    { together, durationMs }: OwnLoads,
    { since, signal }: LoadTime,
  ): Promise<Load> {
    const { self, clock, locks, state } = this.#parts;
    const connection = state().connections[self]?.[subject.sink]?.[subject.connectionKey]?.value;
    if (connection === undefined) return idle(subject, 'it is closed');
    const activity = (): string | undefined => this.#activityAt([self, subject.sink]);
    const ports = sourcePorts(state(), self, connection);
    const blocker =
      activity() ??
      (locks.count >= LINK_PROBES_MAX
        ? 'the maximum number of probes is running'
        : locks.blocker(ports, together));
    if (blocker !== undefined) return idle(subject, blocker);
    let fromMs = since();
    let toMs = fromMs;
    const ending = await unlessActive({ clock, signal, activity }, until =>
      attemptLink<LinkLoad>(
        this.#parts,
        { kind: connection.kind, subject, connection },
        {
          why: 'by-hand',
          together,
          signal: until,
          onMeasuring: () => {
            fromMs = since();
          },
          work: async (engine, request) => {
            const outcome = await this.#send(engine, request, { subject, durationMs });
            toMs = since();
            return outcome;
          },
          spendingOf: () => undefined,
        },
      ),
    );
    if (ending.kind === 'postponed') return idle(subject, ending.reason);
    if (ending.outcome.kind === 'failed') return idle(subject, ending.outcome.reason);
    const { runs, retransmits, bytesUsed } = ending.outcome.measurement;
    return loaded({
      subject,
      fromMs,
      toMs,
      figures: runs.map(({ startedAgoMs, endedAgoMs, bitsPerSecond }) => ({
        figure: SENT_RATE,
        fromMs: Math.max(fromMs, toMs - startedAgoMs),
        toMs: Math.max(fromMs, toMs - endedAgoMs),
        value: bitsPerSecond,
      })),
      bytes: bytesUsed,
      retransmits,
    });
  }

  /** An engine that can only measure does that: its upload is what was sent, over the whole of its time. */
  async #send(
    engine: LinkEngine,
    request: Omit<MeasureRequest, 'budget'>,
    {
      subject: { sink, connectionKey },
      durationMs,
    }: Pick<OwnLoads, 'durationMs'> & { readonly subject: LinkSubject },
  ): Promise<ProbeOutcome<LinkLoad>> {
    const { self, clock, state } = this.#parts;
    const profile = state().linkProfiles[self]?.[sink]?.[connectionKey]?.value;
    if (engine.load !== undefined)
      return await engine.load({
        ...request,
        durationMs,
        streams: knownOr(profile?.uploadStreams ?? UNMEASURED, STREAMS),
        roundTripMs: knownOr(profile?.roundTripNsP50 ?? UNMEASURED, 0) / 1e6,
      });
    const startedAtMs = clock.nowMs();
    const budget = { ...budgetOf(request.connection), measuresExtras: false };
    const outcome = await engine.measure({ ...request, budget });
    if (outcome.kind === 'failed') return outcome;
    const { uploadBitsPerSecond: rate, retransmits, bytesUsed } = outcome.measurement;
    const run = { startedAgoMs: clock.nowMs() - startedAtMs, endedAgoMs: 0 };
    const runs = isKnown(rate) ? [{ ...run, bitsPerSecond: rate }] : [];
    return { kind: 'measured', measurement: { runs, retransmits, bytesUsed } };
  }

  /** Probes of all of them at once, one after another on each. */
  async #loadDevices(
    { subjects, together, durationMs }: OwnLoads,
    { since, signal }: LoadTime,
  ): Promise<readonly Load[]> {
    const { self, clock, devices, lockDevices, locks, probeDevice } = this.#parts;
    const meant = subjects.filter(({ kind }) => kind === 'gpu');
    if (meant.length === 0) return [];
    const activity = (): string | undefined => this.#activityAt([self]);
    const what = 'every device';
    const blocker = activity();
    if (blocker !== undefined) return meant.map(subject => idle(subject, blocker));
    using lock = locks.takeAll(what, together);
    if (lock === undefined) return meant.map(subject => idle(subject, `${locks.busyWith} is being measured`));
    const machine = lockDevices(what);
    if (machine.kind === 'busy') return meant.map(subject => idle(subject, machine.reason));
    using _machine = machine.kind === 'held' ? machine.lock : undefined;
    const known = devices();
    return await Promise.all(
      meant.map(async (subject): Promise<Load> => {
        const device = known.find(({ deviceId }) => subject.kind === 'gpu' && deviceId === subject.deviceId);
        if (device === undefined) return idle(subject, 'there is no such device now');
        const fromMs = since();
        const figures: Loaded['figures'][number][] = [];
        while (since() < durationMs) {
          const startMs = since();
          const ending = await unlessActive<DeviceMeasurement>({ clock, signal, activity }, async until => {
            const timed = await withDeadline(clock, DEVICE_MS_MAX, until, limit =>
              probeDevice(device, limit),
            );
            const late = failedProbe(`it took longer than ${DEVICE_MS_MAX / 1_000} s`, 'deadline');
            return { kind: 'ended', outcome: timed.kind === 'done' ? timed.value : late };
          });
          if (ending.kind === 'postponed') return idle(subject, ending.reason);
          if (ending.outcome.kind === 'failed') return idle(subject, ending.outcome.reason);
          const { measurement } = ending.outcome;
          const toMs = since();
          for (const { figure } of DEVICE_MEASURES) {
            const value = measurement[figure];
            if (isKnown(value)) figures.push({ figure, fromMs: startMs, toMs, value });
          }
          // A measurement takes time; one that takes none is made up, and would be repeated for ever.
          if (toMs === startMs) break;
        }
        return loaded({
          subject,
          fromMs,
          toMs: since(),
          figures,
          bytes: 0,
          retransmits: unknown('a device'),
        });
      }),
    );
  }

  /** What this node's own loads do to a GPU is no runner. */
  #activityAt(nodes: readonly NodeId[]): string | undefined {
    const { clock, state } = this.#parts;
    for (const node of nodes) {
      const found = activityOn(state(), node, clock.nowMs(), { ignoresGpuLoad: true });
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

interface LoadTime {
  /** Ms since the request. */
  readonly since: () => number;
  readonly signal: AbortSignal;
}

const idle = (subject: ProbeSubject, reason: string): Load => ({
  kind: 'idle',
  subject,
  reason: reason.slice(0, REASON_LENGTH_MAX),
});

const loaded = (load: Omit<Loaded, 'kind'>): Load => ({ kind: 'loaded', ...load });

const REASON_LENGTH_MAX = 300;
/** Less than a peer waits for the reply. */
const DEVICE_MS_MAX = 80_000;
const UNMEASURED = unknown('not measured yet');
/** Of a connection that was never measured: enough for what one processor cannot fill. */
const STREAMS = 2;
