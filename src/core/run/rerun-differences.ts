// What is different now from when a run was made: each fact of its provenance next to the current one. A fact
// that was not reported then is listed, so that a missing fact is not mistaken for an equal one.

import { counted, figureText, formatBytes, formatThreeDigits } from '../figure/figure.ts';
import { BANDWIDTH, FP16_RATE } from '../node/gpu-profile.ts';
import { singleLine } from '../text/single-line.ts';
import { isKnown, isUnknown, type Reported, type Unknown } from '../unknown.ts';
import type { PromptsProvenance, RunProvenance } from './provenance.ts';
import type { ReportEnvironment } from './report.ts';

export interface RerunFacts {
  readonly version: string;
  readonly environment: ReportEnvironment;
  readonly model: Reported<string>;
  /** The current provenance: prompts that only a run can plan are unknown. */
  readonly provenance: Reported<
    Omit<RunProvenance, 'prompts' | 'call'> & { readonly prompts: Reported<PromptsProvenance> }
  >;
}

export interface RerunDifferences {
  /** Texts on one line. */
  readonly rows: readonly { readonly name: string; readonly before: string; readonly today: string }[];
  /** Facts that the report does not have, with the reason. */
  readonly unreported: readonly { readonly name: string; readonly reason: string }[];
  /** Facts that are not known now, with the reason. */
  readonly unseen: readonly { readonly name: string; readonly reason: string }[];
}

export const rerunDifferences = (earlier: RerunFacts, today: RerunFacts): RerunDifferences => {
  const [before, now] = [factsOf(earlier), factsOf(today)];
  const rows: RerunDifferences['rows'][number][] = [];
  const unreported: RerunDifferences['unreported'][number][] = [];
  const unseen: RerunDifferences['unseen'][number][] = [];
  for (const name of new Set([...before.keys(), ...now.keys()])) {
    const [was, is] = [before.get(name), now.get(name)];
    // Unknown both times: there is nothing to compare, and nothing that a person could do about it.
    if (isMissing(was) && isMissing(is)) continue;
    // If the whole is unknown, its parts are not reported as missing.
    const whole = PARTS.find(({ part }) => name.startsWith(part))?.whole;
    if (whole !== undefined && [before, now].some(facts => isMissing(facts.get(whole)))) continue;
    if (name.startsWith(OF_A_REPLY) && (isMissing(was) || isMissing(is))) continue;
    if (was !== undefined && isUnknown(was)) unreported.push({ name, reason: singleLine(was.reason) });
    else if (is !== undefined && isUnknown(is)) unseen.push({ name, reason: singleLine(is.reason) });
    else if (!isSame(was, is)) rows.push({ name, before: shown(was), today: shown(is) });
  }
  return { rows, unreported, unseen };
};

/** A figure was measured, and differs each time; a text is equal or it is not. */
type Fact = Reported<string> | number;

const factsOf = ({ version, environment, model, provenance }: RerunFacts): ReadonlyMap<string, Fact> => {
  const facts = new Map<string, Fact>([
    ['plimsoll', version],
    ['Node.js', environment.node],
    ['processor', `${environment.cpu}, ${counted(environment.cores, 'core')}`],
    ['model', model],
  ]);
  if (isUnknown(provenance)) {
    facts.set('kernel', environment.os);
    for (const name of [
      'governor',
      'memory',
      'limits',
      'prompts',
      'settings of the server',
      'node',
      'commit',
    ])
      facts.set(name, provenance);
    return facts;
  }
  const { machine, prompts, server, node, git } = provenance;
  facts.set('kernel', machine.kernel);
  facts.set('governor', machine.governor);
  facts.set('memory', figureText(formatBytes(machine.memoryBytes)));
  facts.set(
    'limits',
    [
      isUnknown(machine.cpuLimit)
        ? 'processors not limited'
        : `${formatThreeDigits(machine.cpuLimit)} processors`,
      isUnknown(machine.memoryLimitBytes)
        ? 'memory not limited'
        : figureText(formatBytes(machine.memoryLimitBytes)),
    ].join(', '),
  );
  facts.set('prompts', isUnknown(prompts) ? prompts : prompts.sha256);
  if (isKnown(prompts) && isKnown(prompts.file)) facts.set('data set', prompts.file.sha256);
  facts.set('settings of the server', isUnknown(server) ? server : 'reported');
  if (isKnown(server))
    for (const { from, facts: reported } of server)
      for (const { name, value } of reported)
        facts.set(`${REPORTED}${singleLine(name)} (${singleLine(from)})`, value);
  facts.set('node', isUnknown(node) ? node : node.name);
  if (isKnown(node))
    for (const { device, [BANDWIDTH.figure]: bytes, [FP16_RATE.figure]: flops } of node.ceilings) {
      if (isKnown(bytes)) facts.set(`${GIGABYTES}${singleLine(device)}`, bytes / 1e9);
      if (isKnown(flops)) facts.set(`${TERAFLOPS}${singleLine(device)}`, flops / 1e12);
    }
  facts.set('commit', isUnknown(git) ? git : `${git.commit}${git.isDirty ? ', with changes' : ''}`);
  return facts;
};

const isMissing = (fact: Fact | undefined): fact is Unknown | undefined =>
  fact === undefined || isUnknown(fact);

const isSame = (was: string | number | undefined, is: string | number | undefined): boolean =>
  typeof was === 'number' && typeof is === 'number'
    ? Math.abs(is - was) <= MEASURED_SHARE * Math.abs(was)
    : was === is;

const shown = (fact: string | number | undefined): string => {
  if (fact === undefined) return 'not reported';
  return typeof fact === 'number' ? formatThreeDigits(fact) : singleLine(fact).slice(0, SHOWN_LENGTH_MAX);
};

const REPORTED = 'server: ';
/** Only a request shows it, and nothing is sent before a person has agreed to the run. */
const OF_A_REPLY: string = `${REPORTED}system_fingerprint`;
const GIGABYTES = 'GB/s of ';
const TERAFLOPS = 'TFLOP/s of ';
const PARTS = [
  { part: REPORTED, whole: 'settings of the server' },
  { part: GIGABYTES, whole: 'node' },
  { part: TERAFLOPS, whole: 'node' },
] as const;
/** Two probes of one device differ by less. */
const MEASURED_SHARE = 0.05;
const SHOWN_LENGTH_MAX = 160;
