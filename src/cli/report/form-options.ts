// `--as` and `--to`: a run in the format of another tool, of a stored run and of one that has just ended.

import { excludes, needs, nonEmpty, optionsIn } from '../../core/option/option.ts';
import { type ForeignFormName, SERIES_FORMS } from '../../report/foreign/foreign-forms.ts';

const { choice, value } = optionsIn('Output');

const FORM_NAMES = [
  'vllm',
  'aiperf',
  'guidellm',
  'genai-perf',
  'inference-perf',
  'csv',
] as const satisfies readonly (ForeignFormName | 'csv')[];

/** In the order of --help. */
export const FORM = {
  as: choice({
    name: 'as',
    rules: [
      excludes(['json'], { advice: 'Use one of them: report.json is in the run directory in any case.' }),
      excludes(['repeat'], {
        because: 'it writes one run',
        advice: 'Write each: plimsoll report DIR --as vllm',
      }),
    ],
    valueName: 'TOOL',
    meaning: `Write the run as another tool would have, by its definitions: ${FORM_NAMES.join(', ')}. A stored sweep: ${Object.keys(SERIES_FORMS).join(', ')}.`,
    choices: FORM_NAMES,
  }),
  to: value({
    name: 'to',
    rules: [needs({ as: 'vllm' })],
    valueName: 'FILE',
    meaning: 'Where --as writes; standard output by default.',
    parse: nonEmpty,
  }),
};
