// `plimsoll survey --ssh A,B`: machines on which nothing is installed, read once and shown as a cluster.

import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemClock } from '../../clock/system-clock.ts';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { nodeName } from '../../core/node/node-view.ts';
import { flag, nonEmpty, value } from '../../core/option/option.ts';
import type { Sentences } from '../../core/problem.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { forTerminal, jsonLines } from '../../core/text/single-line.ts';
import { WHOLE_CLUSTER } from '../../tui/cluster-scope.ts';
import { renderStatus } from '../../tui/render-status.ts';
import { type Command, jsonOption } from '../command.ts';
import { usage } from '../command-error.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import { statusDocument } from '../status-document.ts';
import type { Survey } from '../survey/run-survey.ts';
import { SURVEY_SCHEMA } from '../survey/survey-document.ts';

const MACHINES_MAX = 12;
const TARGET_LENGTH_MAX = 255;

/**
 * Names only: a word that begins with a dash would be an option of ssh, a host that does one of a ProxyCommand (nc %h), and none of these
 * characters means anything to a shell.
 */
const parseTargets = (text: string): Parsed<readonly string[]> => {
  const targets = [...new Set(text.split(',').map(target => target.trim()))];
  const strange = targets.find(target => target.length > TARGET_LENGTH_MAX || !TARGET.test(target));
  if (strange !== undefined)
    return wrong(
      `${JSON.stringify(strange)} is not a machine for ssh`,
      'Write HOST, USER@HOST or ssh://USER@HOST:PORT, with commas between them.',
    );
  return targets.length <= MACHINES_MAX
    ? parsed(targets)
    : wrong(`${targets.length} machines are too many`, `At most ${MACHINES_MAX} at once.`);
};

const TARGET = /^(?!.*@-)(?:ssh:\/\/)?[A-Za-z0-9_[][A-Za-z0-9_.@:[\]%-]*$/;

const sshOption = value({
  name: 'ssh',
  valueName: 'A,B',
  meaning: 'The machines, as you name them to ssh: names of ~/.ssh/config, HOST, USER@HOST.',
  parse: parseTargets,
});
const configOption = value({
  name: 'ssh-config',
  valueName: 'FILE',
  meaning: 'Another configuration of ssh than ~/.ssh/config.',
  parse: nonEmpty,
});
const outOption = value({
  name: 'out',
  isOfOneCall: true,
  valueName: 'FILE',
  meaning:
    'Save it as a recording, with names and addresses: plimsoll up --replay FILE shows it in the browser.',
  parse: nonEmpty,
});
const noLinksOption = flag('no-links', 'Do not probe the links between them.');

export const surveyCommand: Command = {
  name: 'survey',
  summary: 'Read machines over SSH, once, without installing anything',
  description:
    'Takes readings from each machine and probes each link once, over your own OpenSSH client. Nothing is written on any machine. What cannot be read is unknown, with the reason.',
  arguments: [],
  options: [sshOption, configOption, outOption, noLinksOption, jsonOption],
  prints: ['survey'],
  examples: [
    { line: 'plimsoll survey --ssh gpu1,gpu2', meaning: 'both as a cluster, and the link between them' },
    { line: 'plimsoll survey --ssh root@10.0.0.1,10.0.0.2 --out lab.plimsoll', meaning: 'also into a file' },
    { line: 'plimsoll up --replay lab.plimsoll', meaning: 'that file, in the browser' },
  ],
  run: async (invocation, state) => {
    const targets = invocation.option(sshOption);
    if (targets === undefined) throw usage('--ssh is missing', 'Name the machines: --ssh A,B');
    const configFile = invocation.option(configOption);
    const out = invocation.option(outOption);
    const path = out === undefined ? undefined : resolve(state.cwd, out);
    const { runSurvey, saveSurvey, createRecording } = await loadSurvey();
    // Before any machine is read: a file that is there already ends the command at once.
    const writer = path === undefined ? undefined : await createRecording(path);
    let survey: Survey | undefined;
    try {
      survey = await runSurvey({
        targets,
        configFile: configFile === undefined ? undefined : resolve(state.cwd, configFile),
        env: state.env,
        plimsollVersion: state.version,
        probesLinks: !invocation.option(noLinksOption),
        clock: systemClock,
        signal: state.stop,
        onStep: async text => {
          await state.stderr.write(forTerminal(`${text}\n`));
        },
      });
      const nodeId = firstNode(survey);
      if (writer !== undefined && nodeId !== undefined)
        await saveSurvey(writer, { nodeId, plimsollVersion: state.version, state: survey.state });
    } finally {
      await writer?.[Symbol.asyncDispose]();
      if (path !== undefined && (survey === undefined || firstNode(survey) === undefined)) await rm(path);
    }
    if (invocation.option(jsonOption)) await state.stdout.write(jsonLines(documentOf(survey, state)));
    else await print(survey, out, state);
    const isComplete =
      survey.machines.every(({ problem }) => problem === null) &&
      survey.links.every(({ reason }) => reason === null);
    return isComplete ? EXIT_CODES.ok.code : EXIT_CODES.surveyIncomplete.code;
  },
};

const firstNode = ({ machines }: Survey) =>
  machines.find(({ nodeId }) => nodeId !== null)?.nodeId ?? undefined;

const documentOf = (survey: Survey, { version }: ProcessState) => {
  const { machines, links, state } = survey;
  const nodeId = firstNode(survey);
  const cluster =
    nodeId === undefined
      ? null
      : statusDocument({ nodeId, plimsollVersion: version, state }, [], WHOLE_CLUSTER);
  return { schema: SURVEY_SCHEMA, machines, links, cluster };
};

const print = async (survey: Survey, out: string | undefined, { stdout }: ProcessState): Promise<void> => {
  const { columns, hasColor, isUnicode, isTerminal } = stdout;
  const lines =
    firstNode(survey) === undefined
      ? problemsOf(survey).flatMap(({ problem, advice }) => [problem, advice])
      : renderStatus(survey.state, systemClock.nowMs(), problemsOf(survey), {
          columns,
          color: hasColor,
          isUnicode,
          isTerminal,
        });
  const saved =
    out === undefined ? [] : ['', `Show it in the browser: ${shellCommand`plimsoll up --replay ${out}`}`];
  await stdout.write(`${[...lines.map(line => forTerminal(line)), ...saved].join('\n')}\n`);
};

/** What is missing in the picture. */
const problemsOf = ({ machines, links, state }: Survey): readonly Sentences[] => [
  ...machines.flatMap(({ problem, advice }) => (problem === null ? [] : [{ problem, advice: advice ?? '' }])),
  ...links.flatMap(({ nodes: [one, other], reason }) =>
    reason === null
      ? []
      : [
          {
            problem: `The link of ${nodeName(state, one)} and ${nodeName(state, other)} was not measured: ${reason}`,
            advice: '',
          },
        ],
  ),
];

/** Loaded late; not next to an `await using`, where TypeScript 6.0 does not rewrite the path. */
const loadSurvey = async () => ({
  ...(await import('../survey/run-survey.ts')),
  ...(await import('../survey/save-survey.ts')),
  ...(await import('../record-cluster.ts')),
});
