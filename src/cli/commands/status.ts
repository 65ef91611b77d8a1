// `plimsoll status`: the cluster in a terminal, once, as JSON, or live.

import { systemClock } from '../../clock/system-clock.ts';
import { resolveHome } from '../../config/home.ts';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { excludes, flag, value } from '../../core/option/option.ts';
import { jsonLines } from '../../core/text/single-line.ts';
import { WARNING_LEVELS, type Warning } from '../../core/warnings/warning.ts';
import { NODE_FIELDS, type NodeField } from '../../tui/node-table.ts';
import { renderStatus, type StatusOptions } from '../../tui/render-status.ts';
import type { StatusDocument } from '../../wire/api/status-document.ts';
import { decodeNotices, type ReportedNotice } from '../../wire/notice.ts';
import { type ClusterMoment, clusterNow } from '../cluster-stream.ts';
import { type Command, homeOption, jsonOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { findDaemon } from '../daemon-client.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { SCOPE_OPTIONS, scopeOf } from '../group-options.ts';
import type { ProcessState } from '../process-state.ts';
import { statusDocument } from '../status-document.ts';
import { watchCluster } from '../watch-cluster.ts';

const watchOption = flag('watch', 'Update in place twice a second until Ctrl-C.', {
  rules: [excludes(['json'], { advice: 'For a stream of events use /api/stream.' })],
});

const fieldsOption = value({
  name: 'fields',
  rules: [excludes(['json', 'group'], { advice: 'It chooses columns of the table of nodes.' })],
  valueName: 'A,B',
  choices: NODE_FIELDS,
  meaning: `Only these columns of nodes, and nothing else: ${NODE_FIELDS.filter(field => field !== 'name').join(', ')}.`,
  parse: (text): Parsed<readonly NodeField[]> => {
    const names = text.split(',').map(name => name.trim());
    const known = names.flatMap(name => NODE_FIELDS.find(field => field === name) ?? []);
    const strange = names.find(name => !NODE_FIELDS.some(field => field === name));
    return strange === undefined
      ? parsed(known)
      : wrong(`there is no column ${JSON.stringify(strange)}`, `Columns are ${NODE_FIELDS.join(', ')}.`);
  },
});

const failOnOption = value({
  name: 'fail-on',
  rules: [excludes(['watch'], { advice: 'A live view has no result.' })],
  valueName: 'LEVEL',
  choices: WARNING_LEVELS,
  meaning: 'Exit with 37 if there is a warning of this level or a more serious one: danger, caution, note.',
  parse: (text): Parsed<Warning['level']> => {
    const level = WARNING_LEVELS.find(each => each === text);
    return level === undefined
      ? wrong(`${JSON.stringify(text)} is not a level`, `Write ${WARNING_LEVELS.join(', ')}.`)
      : parsed<Warning['level']>(level);
  },
});

export const statusCommand: Command = {
  name: 'status',
  summary: 'Show the cluster that the running daemon sees',
  description: 'A late value is marked stale; an unknown one shows its reason. --json has the same content.',
  arguments: [],
  options: [homeOption, jsonOption, watchOption, fieldsOption, failOnOption, ...SCOPE_OPTIONS],
  prints: ['status'],
  examples: [
    { line: 'plimsoll status', meaning: 'a table, one row a node' },
    { line: 'plimsoll status --watch', meaning: 'live' },
    { line: 'plimsoll status --fields gpu,temperature,power', meaning: 'these columns alone' },
    { line: 'plimsoll status --group site', meaning: 'one row a site' },
    { line: 'plimsoll status --tag team=search', meaning: 'the nodes with that tag' },
    { line: 'plimsoll status --fail-on danger', meaning: 'for scripts: exits with 37 on such a warning' },
    { line: "plimsoll status --json | jq '.nodes[].memory'", meaning: 'for programs' },
  ],
  run: async (invocation, state) => {
    const isJson = invocation.option(jsonOption);
    const isWatch = invocation.option(watchOption);
    if (isWatch && !state.stdout.isTerminal) {
      throw new CommandError('usage', '--watch needs a terminal', 'For scripts: plimsoll status --json');
    }
    const scope = scopeOf(invocation);
    const fields = invocation.option(fieldsOption);
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    if (isWatch) {
      return await watchCluster(home, state, (cluster, nowMs, reported, options) =>
        renderStatus(cluster, nowMs, reported, { ...options, scope, fields, isCutAtEdge: true }),
      );
    }
    const client = await findDaemon(home, state);
    const signal = AbortSignal.any([state.stop, AbortSignal.timeout(ANSWER_MS)]);
    const level = invocation.option(failOnOption);
    const [moment, notices] = await Promise.all([
      clusterNow(client, systemClock, signal),
      client.json('/api/daemon', signal).then(decodeNotices),
    ]);
    const document = statusDocument({ ...moment.snapshot, state: moment.state }, notices, scope);
    if (isJson) await state.stdout.write(jsonLines(document));
    else await printStatus(moment, notices, { scope, fields }, state);
    return level !== undefined && hasWarning(document, level) ? EXIT_CODES.warnings.code : EXIT_CODES.ok.code;
  },
};

const hasWarning = ({ warnings }: StatusDocument, least: Warning['level']): boolean => {
  const levels = WARNING_LEVELS.slice(0, WARNING_LEVELS.indexOf(least) + 1);
  return warnings.some(({ level }) => levels.includes(level));
};

const printStatus = async (
  { snapshot, state: cluster }: ClusterMoment,
  notices: readonly ReportedNotice[],
  shown: Pick<StatusOptions, 'scope' | 'fields'>,
  { stdout }: ProcessState,
): Promise<void> => {
  const { columns, hasColor, isUnicode, isTerminal } = stdout;
  const lines = renderStatus(cluster, systemClock.nowMs(), notices, {
    columns,
    color: hasColor,
    isUnicode,
    isTerminal,
    self: snapshot.nodeId,
    ...shown,
  });
  await stdout.write(`${lines.join('\n')}\n`);
};

const ANSWER_MS = 5_000;
