// `--as` and `--to`: a run, or all runs of a sweep, a load line or a comparison, in the format of another tool: stored, and
// at the end of the command that creates it.

import { wrong } from '../../core/figure/parse-figure.ts';
import { excludes, needs, nonEmpty, type Option, optionsIn } from '../../core/option/option.ts';
import { oneOf } from '../../core/option/option-values.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { FOREIGN_FORM_NAMES, SERIES_FORM_NAMES } from '../../report/foreign/foreign-form-names.ts';
import type { Invocation } from '../command.ts';

const { choice, value } = optionsIn('Output');

const FORM_NAMES = [...FOREIGN_FORM_NAMES, 'csv'] as const;

const SERIES_NAMES: readonly string[] = SERIES_FORM_NAMES;

/** In the order of --help. */
export const FORM = {
  as: choice({
    name: 'as',
    isOfOneCall: true,
    rules: [
      excludes(['json'], { advice: 'Use one of them: report.json is in the run directory in any case.' }),
      excludes(['repeat'], {
        because: 'it writes one run',
        advice: 'Write each: plimsoll report DIR --as vllm',
      }),
    ],
    valueName: 'TOOL',
    meaning: `Write the run as another tool would have, by its definitions: ${FORM_NAMES.join(', ')}. Of several runs: ${SERIES_NAMES.join(', ')}.`,
    choices: FORM_NAMES,
  }),
  to: value({
    name: 'to',
    isOfOneCall: true,
    rules: [needs({ as: 'guidellm' })],
    valueName: 'FILE',
    meaning: 'Where --as writes; standard output by default.',
    parse: nonEmpty,
  }),
};

/** Of a command that creates several runs. */
export const seriesForm = (part: string): readonly Option<unknown>[] => [
  {
    ...FORM.as,
    choices: SERIES_NAMES,
    meaning: `Write all runs of it as another tool would have, by its definitions: ${SERIES_NAMES.join(', ')}.`,
    read: ([text]) => {
      if (text === undefined || SERIES_NAMES.includes(text))
        return FORM.as.read(text === undefined ? [] : [text]);
      const one = FORM.as.read([text]);
      return one.kind === 'ok'
        ? wrong(
            `${text} writes one run, and this is several`,
            `Write each afterwards: ${shellCommand`plimsoll report ${`DIR/${part}`} --as ${text}`}`,
          )
        : oneOf(...SERIES_NAMES)(text);
    },
  },
  FORM.to,
];

/** Whether standard output contains that form alone. */
export const isFormPrinted = (invocation: Invocation): boolean =>
  invocation.option(FORM.as) !== undefined && invocation.option(FORM.to) === undefined;
