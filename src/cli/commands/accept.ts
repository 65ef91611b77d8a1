// `plimsoll accept`: is this cluster fit for use?

import { systemClock } from '../../clock/system-clock.ts';
import { resolveHome } from '../../config/home.ts';
import type { Acceptance } from '../../core/acceptance/acceptance-document.ts';
import { excludes, needs, nonEmpty, value } from '../../core/option/option.ts';
import { decimalFrom, duration } from '../../core/option/option-values.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { jsonLines } from '../../core/text/single-line.ts';
import { plainText } from '../../render/document/plain-text.ts';
import { acceptanceJunit } from '../../report/acceptance-junit.ts';
import { plainCsv, plainMarkdown, plainPage } from '../../report/plain-report.ts';
import { readPlan } from '../accept/acceptance-plan-file.ts';
import { DUTY, type EndedAcceptance, runAcceptance } from '../accept/run-acceptance.ts';
import { signedBy } from '../accept/signature.ts';
import { asBenchCommandError } from '../bench/bench-process.ts';
import { type Command, homeOption, type Invocation, jsonOption } from '../command.ts';
import { EXIT_CODES, type ExitName } from '../exit-codes.ts';
import { nodesOption, requestedNodes } from '../nodes-option.ts';
import type { ProcessState } from '../process-state.ts';
import { EXPORT_OPTIONS, exportForms, reportFonts } from '../report/export-report.ts';
import { writeExport } from '../report/write-export.ts';
import { directoryOf } from '../runs/found-runs.ts';

const soakOption = value({
  name: 'soak',
  valueName: 'D',
  meaning:
    'Keep every link and device under load for this long, compare the counters at both ends before and after, and name what becomes slower. Default: none.',
  parse: duration(10_000, 7 * 86_400_000),
});
const dutyOption = value({
  name: 'duty',
  valueName: 'SHARE',
  rules: [needs({ soak: '1h' })],
  meaning: 'Share of the soak in which everything is to be under load, 0.1 to 1. Default: 0.9.',
  parse: decimalFrom(0.1, 1, { advice: 'Write a share, such as 0.5.', what: 'share' }),
});
const planOption = value({
  name: 'plan',
  valueName: 'FILE',
  meaning: 'YAML or JSON with the nodes that must be there, limits of your own, and checks to leave out.',
  parse: nonEmpty,
});
const resumeOption = value({
  name: 'resume',
  valueName: 'DIR',
  rules: [excludes(['nodes', 'soak', 'duty', 'plan'], { because: 'it continues with its own' })],
  meaning: 'Continue one that was stopped, by its id or directory: with its nodes, plan and soak.',
  parse: nonEmpty,
});
const junitOption = value({
  name: 'junit',
  valueName: 'FILE',
  meaning: 'Write JUnit XML for a CI server: a case for each check.',
  parse: nonEmpty,
});

export const acceptCommand: Command = {
  name: 'accept',
  summary: 'Check whether the cluster is fit for use: nodes, devices, links, groups',
  description:
    'Judges readings and versions, every device, every link in both directions, the all-reduce of each two nodes, that all nodes send at once, and with --soak what becomes worse under load. Each check passes, fails or cannot be judged, with its figure, its limit, where the limit comes from and why. Figures older than an hour are measured again; probes wait for runners. The result is stored: plimsoll runs lists it, plimsoll report shows it again. With --html it is signed with the key of this node.',
  arguments: [],
  options: [
    nodesOption,
    soakOption,
    dutyOption,
    planOption,
    resumeOption,
    ...EXPORT_OPTIONS,
    junitOption,
    homeOption,
    jsonOption,
  ],
  prints: ['acceptance'],
  examples: [
    { line: 'plimsoll accept', meaning: 'every node that is known' },
    { line: 'plimsoll accept --soak 1h --html acceptance.html', meaning: 'before a cluster is handed over' },
    { line: 'plimsoll accept --nodes a,b --junit accept.xml', meaning: 'in a CI job' },
  ],
  run: async (invocation, state) => {
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    const isJson = invocation.option(jsonOption);
    const ended = await runAcceptance({
      home,
      state,
      clock: systemClock,
      print: async line => {
        if (!isJson) await state.stdout.write(`${line}\n`);
      },
      request: await requestOf(invocation, { home, state }),
    }).catch((error: unknown) => {
      throw asBenchCommandError(error);
    });
    const written = await writeForms(ended, { invocation, home, state });
    await state.stdout.write(
      isJson
        ? jsonLines(ended.acceptance)
        : `\n${plainText(ended.report, state.stdout).join('\n')}\n${written}`,
    );
    for (const problem of ended.diskProblems) await state.stderr.write(`plimsoll: ${problem}\n`);
    if (ended.acceptance.state !== 'complete' && !isJson)
      await state.stdout.write(
        `Continue with: ${shellCommand`plimsoll accept --resume ${ended.directory}`}\n`,
      );
    state.stop.throwIfAborted();
    return EXIT_CODES[exitOf(ended.acceptance)].code;
  },
};

const requestOf = async (
  invocation: Invocation,
  { home, state }: { readonly home: string; readonly state: ProcessState },
): Promise<Parameters<typeof runAcceptance>[0]['request']> => {
  const resume = invocation.option(resumeOption);
  if (resume !== undefined)
    return { kind: 'resumed', directory: await directoryOf(resume, { home, cwd: state.cwd }) };
  const file = invocation.option(planOption);
  const [nodes, soakMs] = [invocation.option(nodesOption), invocation.option(soakOption) ?? 0];
  const duty = invocation.option(dutyOption);
  return {
    kind: 'new',
    command: [
      'plimsoll accept',
      ...(nodes === undefined ? [] : [shellCommand`--nodes ${nodes}`]),
      ...(soakMs === 0 ? [] : [shellCommand`--soak ${`${soakMs / 1_000}s`}`]),
      ...(duty === undefined ? [] : [`--duty ${duty}`]),
      ...(file === undefined ? [] : [shellCommand`--plan ${file}`]),
    ].join(' '),
    soakMs,
    duty: duty ?? DUTY,
    plan: file === undefined ? undefined : await readPlan(file, state.cwd),
    nodes: clusterState => requestedNodes(invocation, clusterState),
  };
};

/** @returns a line for each file */
const writeForms = async (
  { acceptance, report }: EndedAcceptance,
  {
    invocation,
    home,
    state,
  }: { readonly invocation: Invocation; readonly home: string; readonly state: ProcessState },
): Promise<string> => {
  const junit = invocation.option(junitOption);
  const exported = await exportForms(
    { invocation, state },
    {
      html: async () =>
        plainPage(report, await reportFonts(state), await signedBy(home, jsonLines(acceptance))),
      csv: () => Promise.resolve(plainCsv(report)),
      markdown: () => Promise.resolve(plainMarkdown(report)),
    },
  );
  const asJunit =
    junit === undefined
      ? ''
      : await writeExport({ file: junit, text: () => Promise.resolve(acceptanceJunit(acceptance)) }, state);
  return `${exported ?? ''}${asJunit}`;
};

const exitOf = ({ state, outcome }: Pick<Acceptance, 'state' | 'outcome'>): ExitName =>
  state === 'complete' ? OUTCOME_EXITS[outcome] : 'benchInterrupted';

const OUTCOME_EXITS: Readonly<Record<Acceptance['outcome'], ExitName>> = {
  pass: 'ok',
  fail: 'notAccepted',
  undecided: 'acceptUndecided',
};
