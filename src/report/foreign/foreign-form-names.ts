// Names of the formats of other tools, on the command line: apart from what writes them, since every run reads its
// options and few write one.

/** In the order of --help. */
export const FOREIGN_FORM_NAMES = [
  'vllm',
  'aiperf',
  'guidellm',
  'genai-perf',
  'inference-perf',
  'inferencex',
] as const;

export type ForeignFormName = (typeof FOREIGN_FORM_NAMES)[number];

/** Those that may contain several runs. */
export const SERIES_FORM_NAMES = ['guidellm'] as const satisfies readonly ForeignFormName[];

export type SeriesFormName = (typeof SERIES_FORM_NAMES)[number];

export const isSeriesForm = (name: string): name is SeriesFormName =>
  SERIES_FORM_NAMES.some(known => known === name);
