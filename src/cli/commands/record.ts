// `plimsoll record FILE`: what the running daemon sees, into a file that `plimsoll up --replay` shows again.

import { resolve } from 'node:path';
import { resolveHome } from '../../config/home.ts';
import { figureText, formatBytes } from '../../core/figure/figure.ts';
import { type Parsed, parseDurationMs, wrong } from '../../core/figure/parse-figure.ts';
import { flag, value } from '../../core/option/option.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { type Command, homeOption } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';

const parseDuration = (text: string): Parsed<number> => {
  const duration = parseDurationMs(text);
  if (duration.kind === 'wrong' || (duration.value >= 1_000 && duration.value <= DURATION_MS_MAX))
    return duration;
  return wrong(`${text} is out of range`, 'From 1s to 168h.');
};

const durationOption = value({
  name: 'duration',
  valueName: 'TIME',
  meaning: 'Stops after this time: 30s, 10m, 2h. Default: at Ctrl-C.',
  parse: parseDuration,
});
const keepNamesOption = flag('keep-names', 'Keep ids, names, addresses and paths as they are.');

export const recordCommand: Command = {
  name: 'record',
  summary: 'Record what the daemon sees, to replay it elsewhere',
  description:
    'Replaces ids, machine names, addresses and paths consistently; hardware, figures and model\nnames stay. An existing file is never overwritten.',
  arguments: [{ name: 'FILE', meaning: 'The recording to write.', isRequired: true }],
  options: [homeOption, durationOption, keepNamesOption],
  examples: [
    { line: 'plimsoll record desk.plimsoll', meaning: 'until Ctrl-C' },
    { line: 'plimsoll record desk.plimsoll --duration 1m', meaning: 'a minute' },
    { line: 'plimsoll up --replay desk.plimsoll', meaning: 'shows it' },
  ],
  run: async (invocation, state) => {
    const { recordCluster } = await loadRecorder();
    const [file = ''] = invocation.arguments;
    const path = resolve(state.cwd, file);
    const end = await recordCluster(state, {
      home: resolveHome({ ...state, option: invocation.option(homeOption) }),
      path,
      durationMs: invocation.option(durationOption),
      keepsNames: invocation.option(keepNamesOption),
      onStarted: async () => {
        await state.stderr.write(`Recording to ${path}. Ctrl-C stops it.\n`);
      },
    });
    const why = end.isFull ? ' The file has reached its size limit.' : '';
    await state.stdout.write(
      `${figureText(formatBytes(end.bytes))} in ${path}.${why}\nShow it: ${shellCommand`plimsoll up --replay ${file}`}\n`,
    );
    return EXIT_CODES.ok.code;
  },
};

/** A week. */
const DURATION_MS_MAX: number = 7 * 86_400_000;

/** Loaded late; not next to an `await using`, where TypeScript 6.0 does not rewrite the path. */
const loadRecorder = () => import('../record-cluster.ts');
