// Reads what the daemon of a home publishes of the link between two nodes, twice a second until SIGTERM, and prints each
// reading as a line. While no daemon answers it prints nothing.

import { join } from 'node:path';
import * as v from 'valibot';
import { systemClock } from '../../src/clock/system-clock.ts';
import { hasFigures, type LinkProfile } from '../../src/core/link/link-profile.ts';
import type { ProbeStatus } from '../../src/core/probe/probe-status.ts';
import { isKnown, isUnknown, type Reported } from '../../src/core/unknown.ts';
import { readDaemonFile } from '../../src/daemon/daemon-file.ts';
import { type Aged, type ListedLink, linksAnswerSchema } from '../../src/wire/api/cluster-answers.ts';
import type { SeenFigures, SeenLink, SeenLost, WatchedPair } from './seen-links.ts';

interface Nodes {
  readonly first: string;
  readonly second: string;
}

const NOTHING: SeenFigures = { there: undefined, back: undefined, measuredAtMs: undefined };
const UPLOAD = 'plimsoll_link_upload_bytes_per_second';
const DOWNLOAD = 'plimsoll_link_download_bytes_per_second';
const pair: WatchedPair = JSON.parse(process.argv[2] ?? '{}');
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
while (!stop.signal.aborted) {
  const seen = await read().catch(error => {
    if (!isAway(error)) throw error;
  });
  if (seen !== undefined) process.stdout.write(`${JSON.stringify(seen)}\n`);
  await systemClock.sleep(500, stop.signal).catch(() => undefined);
}

/** Undefined while no daemon replies, or while it does not have both nodes yet. */
async function read(): Promise<SeenLink | undefined> {
  const found = await readDaemonFile(join(pair.home, 'daemon.json'));
  if (found.kind !== 'found') return undefined;
  const text = async (path: string): Promise<string> => {
    const answer = await fetch(new URL(path, found.file.url), { signal: stop.signal });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return await answer.text();
  };
  const identities: Record<string, { readonly value: { readonly friendlyName: string } }> = JSON.parse(
    await text('/api/state/nodeIdentities'),
  );
  const idOf = (name: string): string | undefined =>
    Object.entries(identities).find(([, { value }]) => value.friendlyName === name)?.[0];
  const nodes = { first: idOf(pair.first) ?? '', second: idOf(pair.second) ?? '' };
  if (nodes.first === '' || nodes.second === '') return undefined;
  const { links } = v.parse(linksAnswerSchema, JSON.parse(await text('/api/links')));
  const nowMs = Date.now();
  const statuses: Record<string, Record<string, { readonly value: ProbeStatus }>> = JSON.parse(
    await text('/api/state/probeStatuses'),
  );
  const between = links.filter(({ source, sink }) => isPair(nodes, source, sink));
  const open = between.filter(({ lost }) => isUnknown(lost));
  return {
    atMs: nowMs,
    open: open.map(({ source, connectionKey }) => `${nameOf(nodes, source)} ${connectionKey}`),
    figures: distinct(open.map(link => figuresOf(nodes, link, nowMs))),
    lost: between.flatMap(link => lostOf(nodes, link, nowMs)),
    ...inMetrics(await text('/metrics')),
    waits: [nodes.first, nodes.second].flatMap(node =>
      Object.values(statuses[node] ?? {}).flatMap(({ value: { subject, stage } }) =>
        subject.kind === 'link' && isPair(nodes, node, subject.sink) && stage.kind === 'waiting'
          ? [stage.reason]
          : [],
      ),
    ),
    intervalsMs: [
      ...new Set(
        open.flatMap(({ profile }) => ('value' in profile ? knownIn(profile.value.intervalMs) : [])),
      ),
    ],
  };
}

function figuresOf(nodes: Nodes, { source, profile }: ListedLink, nowMs: number): SeenFigures {
  if (!('value' in profile) || !hasFigures(profile.value)) return NOTHING;
  const { uploadBitsPerSecond: up, downloadBitsPerSecond: down } = profile.value;
  const [there, back] = source === nodes.first ? [up, down] : [down, up];
  return { there: known(there), back: known(back), measuredAtMs: nowMs - measuredAgeMs(profile) };
}

function measuredAgeMs({ value, ageMs }: Aged<LinkProfile>): number {
  return ageMs + value.measuredAgeMs;
}

function lostOf(nodes: Nodes, link: ListedLink, nowMs: number): readonly SeenLost[] {
  const { lost } = link;
  if (isUnknown(lost)) return [];
  return [
    {
      code: lost.code,
      reason: lost.reason,
      lostAtMs: nowMs - lost.ageMs,
      deadEnds: lost.deadEnds.map(({ kind, interfaceName }) => `${kind} ${interfaceName}`),
      figures: figuresOf(nodes, link, nowMs),
    },
  ];
}

function inMetrics(text: string): Pick<SeenLink, 'metrics' | 'paths' | 'pathLostAtMs' | 'warnings'> {
  const samples = text.split('\n').flatMap(line => {
    const found = /^(plimsoll_\w+)\{(.*)\} (\S+)$/.exec(line);
    if (found === null) return [];
    const [, name = '', labels = '', value = ''] = found;
    const labelled = new Map(
      [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', labelValue = '']) => [
        key,
        labelValue,
      ]),
    );
    return [{ name, of: (label: string) => labelled.get(label) ?? '', value: Number(value) }];
  });
  const isMeant = (a: string, b: string): boolean =>
    (a === pair.first && b === pair.second) || (a === pair.second && b === pair.first);
  const links = samples.filter(({ of }) => isMeant(of('source_name'), of('sink_name')));
  const names = [...new Set(links.map(({ of }) => `${of('source_name')} ${of('connection')}`))];
  const paths = samples.filter(({ of }) => isMeant(of('name'), of('peer_name')));
  return {
    metrics: distinct(
      names.map(name => {
        const figure = (metric: string): number | undefined =>
          links.find(
            one => one.name === metric && `${one.of('source_name')} ${one.of('connection')}` === name,
          )?.value;
        const isTurned = !name.startsWith(`${pair.first} `);
        const [up, down] = [UPLOAD, DOWNLOAD].map(figure).map(bytes => bytes && bytes * 8);
        const atS = figure('plimsoll_link_profile_timestamp_seconds');
        return {
          there: isTurned ? down : up,
          back: isTurned ? up : down,
          measuredAtMs: atS === undefined ? undefined : atS * 1_000,
        };
      }),
    ),
    paths: paths
      .filter(({ name }) => name === 'plimsoll_link_path_up')
      .map(({ of, value }) => `${of('path')} ${value}`),
    pathLostAtMs: paths
      .filter(({ name }) => name === 'plimsoll_link_path_lost_timestamp_seconds')
      .map(({ value }) => value * 1_000),
    warnings: samples.filter(({ name }) => name === 'plimsoll_warning').map(({ of }) => of('id')),
  };
}

/** The moment of a measurement counts as the same within a second: it is the age that is published. */
function distinct(all: readonly SeenFigures[]): readonly SeenFigures[] {
  const found: SeenFigures[] = [];
  for (const one of all)
    if (
      !found.some(
        other =>
          isNear(other.there, one.there) &&
          isNear(other.back, one.back) &&
          Math.abs((other.measuredAtMs ?? 0) - (one.measuredAtMs ?? 0)) < 1_000,
      )
    )
      found.push(one);
  return found;
}

function isNear(a: number | undefined, b: number | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && Math.abs(a - b) <= Math.abs(a) * 1e-9);
}

function known(value: Reported<number>): number | undefined {
  return isKnown(value) ? value : undefined;
}

function knownIn(value: Reported<number>): readonly number[] {
  return isKnown(value) ? [value] : [];
}

function isPair({ first, second }: Nodes, source: string, sink: string): boolean {
  return (source === first && sink === second) || (source === second && sink === first);
}

function nameOf({ first }: Nodes, node: string): string {
  return node === first ? pair.first : pair.second;
}

/** A daemon that has stopped or is about to start: nobody listens, or it answers that it is not ready. */
function isAway(error: unknown): boolean {
  return (
    error instanceof Error &&
    (stop.signal.aborted || error.message === 'fetch failed' || /: 50\d /.test(error.message))
  );
}
