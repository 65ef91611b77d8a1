// The table of the kinds of stored documents. Addresses, routes, codes, maps of State (`many`, `progress`) and titles derive from it.
// What reads files or reports to a daemon, and what draws a page, has a row for each key of this table next to its mechanism.

const named = <const One extends string, const Many extends string>(one: One, many: Many) =>
  ({
    one,
    many,
    path: `/api/${many}`,
    idName: `${one}Id`,
    unknownCode: `no-such-${one}`,
    fullCode: `too-many-${many}`,
  }) as const;

export const DOCUMENT_KINDS = {
  run: { ...named('run', 'runs'), progress: 'runProgress', titles: { run: 'Run' } },
  /** A search for a load line is a sweep whose loads were found. */
  sweep: {
    ...named('sweep', 'sweeps'),
    progress: 'sweepProgress',
    titles: { line: 'Load line', sweep: 'Sweep' },
  },
  comparison: {
    ...named('comparison', 'comparisons'),
    progress: 'comparisonProgress',
    titles: { comparison: 'Comparison' },
  },
  /** Every other: its forms are rows of `render/document/plain-kinds.ts`. */
  document: { ...named('document', 'documents'), progress: 'documentProgress', titles: {} },
} as const;

export type DocumentType = keyof typeof DOCUMENT_KINDS;

export const isDocumentType = (text: string): text is DocumentType => Object.hasOwn(DOCUMENT_KINDS, text);

export const DOCUMENT_TYPES: readonly DocumentType[] = Object.keys(DOCUMENT_KINDS).filter(isDocumentType);
