// `plimsoll probe all`: requests every probe of the cluster once, follows what the nodes publish until each has a result, and stores
// what each measured in a document that is announced while it grows. The nodes decide what runs when.

import { join } from 'node:path';
import * as v from 'valibot';
import { DocumentReporter, REPORTED_PLAIN } from '../../bench/announce/document-reporter.ts';
import { openDocumentFolder, plainFolder } from '../../bench/run/document-folder.ts';
import { newDocumentId } from '../../bench/run/new-id.ts';
import { type Clock, pause } from '../../clock/clock.ts';
import { systemClock } from '../../clock/system-clock.ts';
import { openHome, resolveHome } from '../../config/home.ts';
import type { NodeId } from '../../core/ids.ts';
import type { LinkProfile } from '../../core/link/link-profile.ts';
import { type GpuProfile, gpuProfileSchema } from '../../core/node/gpu-profile.ts';
import { type ProbeSubject, probeKey } from '../../core/probe/probe-status.ts';
import { figure, TEXT_LENGTH_MAX } from '../../core/schema.ts';
import { jsonLines, showable } from '../../core/text/single-line.ts';
import { isKnown, isUnknown, unknown } from '../../core/unknown.ts';
import { runsFolder } from '../../daemon/runs/run-reports.ts';
import {
  CAMPAIGN,
  CAMPAIGN_SCHEMA,
  type Campaign,
  deviceMeasurements,
  linkMeasurements,
  MEASUREMENTS_MAX,
  type Measurement,
  type ProbeResult,
  resultLine,
} from '../../render/campaign/probe-campaign.ts';
import { type PlainReport, plainReport } from '../../render/document/plain-kind.ts';
import { plainText } from '../../render/document/plain-text.ts';
import { linksAnswerSchema } from '../../wire/api/cluster-answers.ts';
import { type ProbesAnswer, probesAnswerSchema } from '../../wire/api/probe-answers.ts';
import { asBenchCommandError, runningDaemon } from '../bench/bench-process.ts';
import { type Command, homeOption, jsonOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { type DaemonClient, findDaemon } from '../daemon-client.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { knownNodes } from '../known-nodes.ts';
import type { ProcessState } from '../process-state.ts';
import { isNewer, statusesOf, statusText } from './probe-node.ts';

export const probeAllCommand: Command = {
  name: 'probe all',
  summary: 'Measure all devices and connections of all linked nodes once',
  description:
    'Each daemon measures one thing per interface at a time, and waits for runners and busy interfaces. What was measured, and why the rest was not, is stored as a probe campaign, which plimsoll runs lists and plimsoll report shows again. A node known only through others is listed but not measured: run this there.',
  arguments: [],
  options: [homeOption, jsonOption],
  prints: ['campaign'],
  examples: [{ line: 'plimsoll probe all', meaning: 'after a cable was changed' }],
  run: async (invocation, state) => {
    const isJson = invocation.option(jsonOption);
    const { report, campaign, diskProblems } = await runCampaign({
      home: resolveHome({ ...state, option: invocation.option(homeOption) }),
      state,
      clock: systemClock,
      print: async line => {
        if (!isJson) await state.stdout.write(`${line}\n`);
      },
    }).catch((error: unknown) => {
      throw asBenchCommandError(error);
    });
    await state.stdout.write(
      isJson ? jsonLines(campaign) : `\n${plainText(report, state.stdout).join('\n')}\n`,
    );
    for (const problem of diskProblems) await state.stderr.write(`plimsoll: ${problem}\n`);
    state.stop.throwIfAborted();
    const isWhole =
      campaign.state === 'complete' &&
      campaign.unreached.length === 0 &&
      campaign.measurements.every(({ value }) => isKnown(value));
    return isWhole ? EXIT_CODES.ok.code : EXIT_CODES.probeFailed.code;
  },
};

interface CampaignCall {
  readonly home: string;
  readonly state: ProcessState;
  readonly clock: Clock;
  /** Called with each line of progress. */
  readonly print: (line: string) => Promise<void>;
}

export interface EndedCampaign {
  readonly report: PlainReport;
  readonly campaign: Campaign;
  readonly directory: string;
  /** A sentence each. */
  readonly diskProblems: readonly string[];
}

export const runCampaign = async ({ home, state, clock, print }: CampaignCall): Promise<EndedCampaign> => {
  const client = await findDaemon(home, state);
  const stopRequested = new AbortController();
  const stop = AbortSignal.any([state.stop, stopRequested.signal]);
  const before = await looked(client, clock, stop);
  const names = new Map((await knownNodes(client, stop)).map(({ nodeId, name }) => [nodeId, name]));
  const requestSignal = AbortSignal.any([stop, AbortSignal.timeout(REQUEST_MS_MAX)]);
  const answer = await client.answer(probesAnswerSchema, '/api/probes', requestSignal, 'POST', {
    subject: 'all',
  });
  const followed = new Followed({ answer, before, names });
  await openHome(home);
  const id = newDocumentId();
  using folder = await openDocumentFolder(plainFolder(CAMPAIGN), join(runsFolder(home), id));
  let campaign: Campaign = {
    schema: CAMPAIGN_SCHEMA,
    id,
    plimsoll: { version: state.version },
    name: unknown('not given'),
    startedAt: new Date(clock.wallMs()).toISOString(),
    command: 'plimsoll probe all',
    state: 'running',
    reason: '',
    nodes: followed.nodes,
    unreached: followed.unreached,
    ...followed.found(),
  };
  await folder.write(plainReport(CAMPAIGN, campaign));
  await using reporter = new DocumentReporter(REPORTED_PLAIN, {
    document: plainReport(CAMPAIGN, campaign),
    directory: folder.path,
    findDaemon: () => runningDaemon(home, state),
    clock,
    onStopRequested: () => stopRequested.abort(),
  });
  await print(`Campaign ${id} in ${folder.path}: ${plainReport(CAMPAIGN, campaign).load}. Ctrl-C stops it.`);
  const write = async (now: Campaign): Promise<void> => {
    campaign = now;
    await folder.write(plainReport(CAMPAIGN, now));
    reporter.update(plainReport(CAMPAIGN, now));
  };
  const end = await (async (): Promise<Pick<Campaign, 'state' | 'reason'>> => {
    while (followed.isPending) {
      const lines = followed.take(await looked(client, clock, stop), clock.nowMs());
      for (const line of lines) await print(showable(line));
      if (lines.length > 0) await write({ ...campaign, ...followed.found() });
      if (followed.isPending) await pause(clock, LOOK_MS, stop);
      stop.throwIfAborted();
    }
    return { state: 'complete', reason: '' };
  })().catch((error: unknown): Pick<Campaign, 'state' | 'reason'> => {
    if (stop.aborted) return { state: 'interrupted', reason: 'it was stopped: what was measured is stored' };
    if (error instanceof Error && error.name === 'TimeoutError')
      return { state: 'interrupted', reason: `the daemon did not respond for ${REQUEST_MS_MAX / 1_000} s` };
    if (error instanceof CommandError) return { state: 'interrupted', reason: error.message };
    throw error;
  });
  followed.giveUp(end.reason);
  await write({ ...campaign, ...followed.found(), ...end });
  const report = plainReport(CAMPAIGN, campaign);
  const diskProblems = await folder.writeText(report);
  await reporter.end(report);
  return { report, campaign, directory: folder.path, diskProblems };
};

interface Look {
  /** Monotonic, when it was requested and when the reply was here. */
  readonly requestedAtMs: number;
  readonly answeredAtMs: number;
  /** By the key of the subject. */
  readonly profiles: ReadonlyMap<string, Aged>;
  /** What the nodes report of their probes. */
  readonly statuses: unknown;
}

type Aged = { readonly ageMs: number } & (
  | { readonly kind: 'link'; readonly value: LinkProfile | undefined }
  | { readonly kind: 'gpu'; readonly value: GpuProfile }
);

/** Of the whole cluster at one moment; a link that has no profile yet is there without one. */
const looked = async (client: DaemonClient, clock: Clock, stop: AbortSignal): Promise<Look> => {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(REQUEST_MS_MAX)]);
  const requestedAtMs = clock.nowMs();
  const [{ links }, devices, statuses] = await Promise.all([
    client.answer(linksAnswerSchema, '/api/links', signal),
    client.answer(DEVICES, '/api/state/nodeGpuProfiles', signal),
    client.json('/api/state/probeStatuses', signal),
  ]);
  const profiles = new Map<string, Aged>();
  for (const { source, sink, connectionKey, profile } of links)
    profiles.set(keyOf(source, { kind: 'link', sink, connectionKey }), {
      kind: 'link',
      ...(isUnknown(profile) ? { value: undefined, ageMs: 0 } : profile),
    });
  for (const [node, ofNode] of Object.entries(devices))
    for (const [deviceId, { value, ageMs }] of Object.entries(ofNode))
      profiles.set(keyOf(node, { kind: 'gpu', deviceId }), { kind: 'gpu', value, ageMs });
  return { requestedAtMs, answeredAtMs: clock.nowMs(), profiles, statuses };
};

interface FollowedParts {
  readonly answer: ProbesAnswer;
  readonly before: Look;
  readonly names: ReadonlyMap<NodeId, string>;
}

interface Probe {
  readonly key: string;
  readonly node: NodeId;
  readonly subject: ProbeSubject;
}

/** The requested probes, and the results so far. */
class Followed {
  readonly #parts: FollowedParts;
  /** By key, in the order of the request. */
  readonly #probes: ReadonlyMap<string, Probe>;
  /** By key, with the reason. */
  readonly #refused: ReadonlyMap<string, string>;
  readonly #results = new Map<string, readonly Measurement[]>();
  /** Of those that had no result when the campaign was stopped. */
  #left: ReadonlyMap<string, readonly Measurement[]> = new Map();
  readonly #reported = new Set<string>();
  readonly #seenAtMs = new Map<string, number>();
  #newsAtMs: number;

  constructor(parts: FollowedParts) {
    this.#parts = parts;
    this.#newsAtMs = parts.before.answeredAtMs;
    this.#probes = new Map(
      parts.answer.probes.map(({ node, subject }) => {
        const key = keyOf(node, subject);
        return [key, { key, node, subject }];
      }),
    );
    this.#refused = new Map(
      parts.answer.probes.flatMap(({ node, subject, result, reason }) =>
        result === 'refused' ? [[keyOf(node, subject), reason] as const] : [],
      ),
    );
  }

  get nodes(): Campaign['nodes'] {
    return [...this.#measuring].map(node => this.#nameOf(node));
  }

  get unreached(): Campaign['unreached'] {
    return this.#parts.answer.unreached.map(({ node, reason }) => ({
      node: this.#nameOf(node),
      reason: reason.slice(0, TEXT_LENGTH_MAX),
    }));
  }

  get isPending(): boolean {
    return this.#results.size < this.#probes.size;
  }

  found(): Pick<Campaign, 'requested' | 'ended' | 'measurements'> {
    const measurements = [...this.#probes.keys()].flatMap(
      key => this.#results.get(key) ?? this.#left.get(key) ?? [],
    );
    return {
      requested: this.#probes.size,
      ended: this.#results.size,
      measurements: measurements.slice(0, MEASUREMENTS_MAX),
    };
  }

  /** @returns a line for each result, and for each new reason to wait */
  take(now: Look, nowMs: number): readonly string[] {
    const lines: string[] = [];
    for (const probe of this.#pending()) {
      const current = now.profiles.get(probe.key);
      if (current !== undefined) this.#seenAtMs.set(probe.key, nowMs);
      const reason = this.#refused.get(probe.key) ?? (this.#isGone(probe, nowMs) ? CLOSED : undefined);
      const profile = reason === undefined ? this.#newProfile(probe, current, now) : undefined;
      if (profile === undefined && reason === undefined) continue;
      const measured = this.#end(probe, profile, reason ?? '');
      lines.push(`${this.#results.size} of ${this.#probes.size}: ${resultLine(measured)}`);
    }
    if (lines.length > 0) this.#newsAtMs = nowMs;
    return [...lines, ...this.#waits(now, nowMs)];
  }

  /** What has no result by now gets none. */
  giveUp(reason: string): void {
    this.#left = new Map(this.#pending().map(probe => [probe.key, this.#measured(probe, undefined, reason)]));
  }

  get #measuring(): ReadonlySet<NodeId> {
    return new Set([...this.#probes.values()].map(({ node }) => node));
  }

  #pending(): readonly Probe[] {
    return [...this.#probes.values()].filter(({ key }) => !this.#results.has(key));
  }

  #end(probe: Probe, now: Aged | undefined, reason: string): readonly Measurement[] {
    const measured = this.#measured(probe, now, reason);
    this.#results.set(probe.key, measured);
    return measured;
  }

  /** One that starts is news; nothing for minutes ends the campaign, with what each one waits for. */
  #waits({ statuses }: Look, nowMs: number): readonly string[] {
    const lines: string[] = [];
    const reasons = new Map<string, string>();
    for (const node of this.#measuring)
      for (const status of statusesOf(statuses, node)) {
        const key = keyOf(node, status.subject);
        if (!this.#probes.has(key) || this.#results.has(key)) continue;
        if (status.stage.kind === 'waiting') reasons.set(key, status.stage.reason);
        const text = statusText(status);
        const line = `${this.#nameOf(node)}: ${text}`;
        if (text === undefined || this.#reported.has(line) || this.#reported.size >= WAITS_MAX) continue;
        this.#reported.add(line);
        lines.push(line);
        if (status.stage.kind === 'running') this.#newsAtMs = nowMs;
      }
    if (nowMs - this.#newsAtMs > QUIET_MS_MAX)
      for (const probe of this.#pending()) this.#end(probe, undefined, reasons.get(probe.key) ?? NOT_STARTED);
    return lines;
  }

  #measured({ key, node, subject }: Probe, now: Aged | undefined, reason: string): readonly Measurement[] {
    const before = this.#before(key);
    const head = { node: this.#nameOf(node), reason: reason.slice(0, TEXT_LENGTH_MAX) };
    if (subject.kind === 'link') {
      const result: ProbeResult<LinkProfile> = {
        ...head,
        subject: `link to ${this.#nameOf(subject.sink)} (${subject.connectionKey})`.slice(
          0,
          SUBJECT_LENGTH_MAX,
        ),
        profile: now?.kind === 'link' ? now.value : undefined,
        before: before?.kind === 'link' ? before.value : undefined,
      };
      return linkMeasurements(result);
    }
    const profile = now?.kind === 'gpu' ? now.value : undefined;
    const was = before?.kind === 'gpu' ? before.value : undefined;
    const name = (profile ?? was)?.deviceName;
    const of =
      name === undefined || name === subject.deviceId ? subject.deviceId : `${name} (${subject.deviceId})`;
    return deviceMeasurements(
      { ...head, subject: of.slice(0, SUBJECT_LENGTH_MAX), profile, before: was },
      subject.deviceId === CPU_DEVICE_ID ? 'cpu' : 'gpu',
    );
  }

  #newProfile({ key }: Probe, current: Aged | undefined, now: Look): Aged | undefined {
    const was = { ...this.#parts.before, ageMs: this.#before(key)?.ageMs };
    return current?.value !== undefined && isNewer({ ...now, ageMs: current.ageMs }, was)
      ? current
      : undefined;
  }

  #isGone({ key, subject }: Probe, nowMs: number): boolean {
    const seenAtMs = this.#seenAtMs.get(key) ?? this.#parts.before.answeredAtMs;
    return subject.kind === 'link' && nowMs - seenAtMs > GONE_MS;
  }

  #before(key: string): Aged | undefined {
    const before = this.#parts.before.profiles.get(key);
    return before?.value === undefined ? undefined : before;
  }

  #nameOf(node: NodeId): string {
    return (this.#parts.names.get(node) ?? node).slice(0, SUBJECT_LENGTH_MAX);
  }
}

const keyOf = (node: string, subject: ProbeSubject): string => `${node} ${probeKey(subject)}`;

const DEVICES = v.record(
  v.string(),
  v.record(v.string(), v.object({ value: gpuProfileSchema, ageMs: figure })),
);
/** The cluster is small, or a probe takes seconds: a look a second is enough. */
const LOOK_MS = 1_000;
const REQUEST_MS_MAX = 30_000;
/** A connection may close and open again while a measurement fills its cable. */
const GONE_MS = 15_000;
/** Longer than any probe takes, and than one waits for its turn. */
const QUIET_MS_MAX = 180_000;
const CLOSED = 'its connection is closed';
const NOT_STARTED = `nothing was measured for ${QUIET_MS_MAX / 60_000} minutes, and it had not started`;
/** Lines about what runs or waits. */
const WAITS_MAX = 1_000;
const CPU_DEVICE_ID = 'cpu';
const SUBJECT_LENGTH_MAX = 300;
