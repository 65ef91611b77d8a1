// Stored documents in a list: what `plimsoll runs` and the page of runs show of each kind, in the same columns.

import { DOCUMENT_KINDS, DOCUMENT_TYPES, type DocumentType } from '../../core/document/document-kinds.ts';
import { formatThreeDigits } from '../../core/figure/figure.ts';
import type { RunFigures } from '../../core/run/run.ts';
import type { Entry, State } from '../../core/state.ts';
import { isKnown } from '../../core/unknown.ts';
import { PLAIN_FORMS } from './plain-kinds.ts';

/** A text is '' if it is not known. */
export interface ListedDocument {
  /** "line": a key of FORM_TITLES, or of a later version. */
  readonly kind: string;
  readonly id: string;
  readonly state: string;
  /** ISO 8601 */
  readonly startedAt: string;
  /** The tool that measured it if it was another one, its name, its tags. */
  readonly names: readonly string[];
  readonly model: string;
  readonly target: string;
  readonly load: string;
  /** The figure that a person looks for first: "1,240 tok/s", "11.6 requests/s", "better: TTFT p90 −11.8 % (…)". */
  readonly result: string;
}

/** Form to title: "Load line". */
export const FORM_TITLES: Readonly<Record<string, string>> = Object.fromEntries([
  ...DOCUMENT_TYPES.flatMap(type => Object.entries<string>(DOCUMENT_KINDS[type].titles)),
  ...PLAIN_FORMS.map(({ form, title }) => [form, title] as const),
]);

/** "runs, load lines, sweeps, comparisons" */
export const EVERY_FORM: string = Object.values(FORM_TITLES)
  .map(title => `${title.toLowerCase()}s`)
  .join(', ');

export const formTitle = (form: string): string =>
  Object.hasOwn(FORM_TITLES, form) ? (FORM_TITLES[form] ?? form) : form;

interface ListedColumn {
  readonly title: string;
  readonly text: (document: ListedDocument) => string;
}

export const LISTED_COLUMNS = {
  id: { title: 'run', text: ({ id }) => id },
  state: { title: 'state', text: ({ state }) => state },
  names: { title: 'name and tags', text: ({ names }) => names.join(' · ') },
  started: { title: 'started (UTC)', text: ({ startedAt }) => startedAt.slice(0, 16).replace('T', ' ') },
  model: { title: 'model', text: ({ model }) => model },
  target: { title: 'target', text: ({ target }) => target },
  load: { title: 'load', text: ({ load }) => load },
  result: { title: 'result', text: ({ result }) => result },
} as const satisfies Readonly<Record<string, ListedColumn>>;

/** What the page of a document is called. */
export const documentTitle = (state: State, type: DocumentType, id: string): string => {
  const { many } = DOCUMENT_KINDS[type];
  const entries: Readonly<Record<string, Readonly<Record<string, Entry<object>>>>> = state[many];
  const known = Object.values(entries).find(of => Object.hasOwn(of, id))?.[id]?.value;
  const form = known !== undefined && 'form' in known && typeof known.form === 'string' ? known.form : type;
  return formTitle(form);
};

/** Of a run. */
export const runResult = ({
  outputTokensPerSecond,
  requestsPerSecond,
}: Pick<RunFigures, 'outputTokensPerSecond' | 'requestsPerSecond'>): string => {
  if (isKnown(outputTokensPerSecond) && outputTokensPerSecond > 0)
    return `${formatThreeDigits(outputTokensPerSecond)} tok/s`;
  return isKnown(requestsPerSecond) ? `${formatThreeDigits(requestsPerSecond)} requests/s` : '';
};
