// `plimsoll calibrate [URL]`: what the client on this machine can resolve, measured against a server that reports its own times.

import { openHome, resolveHome } from '../../config/home.ts';
import { valueOr } from '../../core/option/option.ts';
import { duration } from '../../core/option/option-values.ts';
import { calibrationLines } from '../../core/run/calibration.ts';
import { writeFileAtomic } from '../../process/atomic-file.ts';
import { asciiOf } from '../../render/text/ascii.ts';
import { calibrationToJson } from '../../wire/calibration-schema.ts';
import { calibrationFile } from '../calibrate/calibrated-machine.ts';
import { type Command, homeOption, jsonOption, OR_NAMED } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';

const budgetOption = valueOr({
  name: 'budget',
  valueName: 'D',
  fallback: '1m',
  meaning: 'How long it may take: 30s, 2m.',
  parse: duration(1, 86_400_000),
});

export const calibrateCommand: Command = {
  name: 'calibrate',
  summary: 'Find out what the client on this machine can resolve',
  description:
    'Loads a mock that reports when it wrote each chunk, with more and more streams and requests a second, and compares: errors\nof TTFT and gaps, lateness of sending. Stored in the home; later runs cite it until the machine changes.',
  arguments: [
    {
      name: 'URL',
      meaning: `A \`plimsoll mock --stamp\` on the target machine. ${OR_NAMED} Without one: a mock on loopback.`,
      isRequired: false,
      target: 'only',
    },
  ],
  options: [homeOption, budgetOption, jsonOption],
  prints: ['calibration'],
  examples: [
    { line: 'plimsoll calibrate', meaning: 'against loopback, a minute' },
    {
      line: 'plimsoll calibrate http://gpu-1:8000 --budget 3m',
      meaning: 'with the network to a machine where plimsoll mock --stamp --host 0.0.0.0 --port 8000 runs',
    },
  ],
  run: async (invocation, state) => {
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    const isJson = invocation.option(jsonOption);
    const { runCalibration } = await import('../calibrate/run-calibration.ts');
    await openHome(home);
    const calibration = await runCalibration(state, {
      url: invocation.arguments[0],
      budgetMs: invocation.option(budgetOption),
      print: async line => {
        if (!isJson) await state.stderr.write(`${line}\n`);
      },
    });
    await writeFileAtomic(calibrationFile(home), calibrationToJson(calibration));
    const text = `${calibrationLines(calibration).join('\n')}\n\nStored: ${calibrationFile(home)}\n`;
    await state.stdout.write(
      isJson ? calibrationToJson(calibration) : state.stdout.isUnicode ? text : asciiOf(text),
    );
    return EXIT_CODES.ok.code;
  },
};
