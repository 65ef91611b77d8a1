// `plimsoll doctor`: everything that could keep this machine from being seen, each with what to do.

import { systemClock } from '../../clock/system-clock.ts';
import { resolveHome } from '../../config/home.ts';
import { padded } from '../../core/text/columns.ts';
import { capitalized, jsonLines } from '../../core/text/single-line.ts';
import { hangingLine } from '../../tui/layout.ts';
import { type Line, paint, part, type Tone } from '../../tui/part.ts';
import { type Command, homeOption, jsonOption } from '../command.ts';
import type { Check, DoctorDocument, Verdict } from '../doctor/check.ts';
import { computerChecks, toolChecks } from '../doctor/computer-checks.ts';
import { daemonChecks } from '../doctor/daemon-checks.ts';
import { fleetChecks } from '../doctor/fleet-checks.ts';
import { configChecks, homeChecks } from '../doctor/home-checks.ts';
import { EXIT_CODES } from '../exit-codes.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check this machine, its home and its daemon, and show what to do',
  description: 'Changes nothing. Exits with 0 if nothing is wrong, with 8 if something is.',
  arguments: [],
  options: [homeOption, jsonOption],
  prints: ['doctor'],
  examples: [
    { line: 'plimsoll doctor', meaning: 'every check, with advice if something is wrong or missing' },
    { line: 'plimsoll doctor --json', meaning: 'for programs' },
  ],
  run: async (invocation, state) => {
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    const checks = [
      ...computerChecks(state, systemClock),
      ...(await homeChecks(home, state)),
      ...(await configChecks(home)),
      ...(await daemonChecks(home, state)),
      ...(await fleetChecks(home)),
      ...(await toolChecks(state)),
    ];
    const problems = checks.filter(({ verdict }) => verdict === 'problem').length;
    const { hasColor, isUnicode, isTerminal, columns } = state.stdout;
    const document: DoctorDocument = { schema: 'plimsoll.doctor/1', problems, checks };
    const text = invocation.option(jsonOption)
      ? jsonLines(document)
      : linesOf(checks, problems)
          .flatMap(line => (isTerminal ? hangingLine(line, columns) : [line]))
          .map(line => `${paint(line, { color: hasColor, isUnicode })}\n`)
          .join('');
    await state.stdout.write(text);
    return problems === 0 ? EXIT_CODES.ok.code : EXIT_CODES.unhealthy.code;
  },
};

const linesOf = (checks: readonly Check[], problems: number): readonly Line[] => {
  const lines: Line[] = [];
  for (const [section, group] of Map.groupBy(checks, check => check.section)) {
    lines.push([part(capitalized(section), 'strong')]);
    for (const { verdict, text, advice } of group) {
      lines.push([part(`  ${padded(VERDICTS[verdict].label, 8)}`, VERDICTS[verdict].tone), part(text)]);
      if (advice !== '') lines.push([part(' '.repeat(10)), part(advice, 'dim')]);
    }
    lines.push([]);
  }
  const end =
    problems === 0
      ? 'No problems found.'
      : `${problems} ${problems === 1 ? 'thing is' : 'things are'} wrong.`;
  return [...lines, [part(end, problems === 0 ? 'good' : 'bad')]];
};

const VERDICTS: Readonly<Record<Verdict, { readonly label: string; readonly tone: Tone }>> = {
  ok: { label: 'ok', tone: 'good' },
  note: { label: 'note', tone: 'dim' },
  problem: { label: 'WRONG', tone: 'bad' },
};
