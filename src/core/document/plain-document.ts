// Documents whose report is a list of sections, and of which the cluster needs no more than a list shows: one set of events, routes
// and pages for all of them. What differs between them is a row of `render/document/plain-kinds.ts`.

import * as v from 'valibot';
import {
  documentIdSchema,
  type Infer,
  isoTime,
  longText,
  openObject,
  reported,
  shortText,
  text,
} from '../schema.ts';

const state = v.picklist(['running', 'complete', 'stopped', 'interrupted']);

/** What every file of such a document begins with. */
export const plainEntries = {
  id: documentIdSchema,
  plimsoll: openObject({ version: text }),
  name: reported(shortText),
  startedAt: isoTime,
  command: longText,
  state,
  /** Why it is not complete; '' if there is no reason to show. */
  reason: text,
} as const;

const plainSchema = openObject(plainEntries);
export type PlainDocument = Infer<typeof plainSchema>;

const findings = {
  /** "12 of 30 measured", and the figure that a person looks for first: as lists show them. */
  load: text,
  result: text,
} as const;

const start = {
  documentId: documentIdSchema,
  /** "campaign" */
  form: shortText,
  startedAt: isoTime,
  name: reported(shortText),
  target: text,
  command: text,
  directory: text,
  ...findings,
} as const;
const end = { state, reason: text } as const;

export const plainStartSchema = openObject(start);
export const plainUpdateSchema = openObject({ documentId: documentIdSchema, ...findings });
export const plainEndSchema = openObject({ documentId: documentIdSchema, ...findings, ...end });
export const plainDigestSchema = openObject({ ...start, ...end });

export type PlainStart = Infer<typeof plainStartSchema>;
export type PlainUpdate = Infer<typeof plainUpdateSchema>;
export type PlainEnd = Infer<typeof plainEndSchema>;
/** As the cluster stores it. */
export type PlainDigest = Infer<typeof plainDigestSchema>;

/** The reason of one whose process never reported its end. */
export const CUT_OFF = 'its process exited unexpectedly: what was done by then is stored';

/** As it is afterwards: a process that ended without a word left 'running' in its file. */
export const plainAfterwards = <D extends PlainDocument>(document: D): D =>
  document.state === 'running' ? { ...document, state: 'interrupted', reason: CUT_OFF } : document;

// The kinds of events about them: durable ones at the start and at the end, a live one in between.
const DOCUMENT = {
  class: 'durable',
  field: 'documents',
  shape: 'keyed',
  entriesMax: 64,
  isNewestKept: true,
  schema: plainDigestSchema,
  key: ({ documentId }: PlainDigest): string => documentId,
  texts: {
    documentId: 'runId',
    form: 'plain',
    startedAt: 'plain',
    name: 'tag',
    target: 'free',
    command: 'free',
    directory: 'directory',
    load: 'free',
    result: 'free',
    state: 'plain',
    reason: 'free',
  },
} as const;

type DocumentRow = typeof DOCUMENT & {
  readonly toPayload: (document: PlainDigest) => PlainDigest | undefined;
};

const PARTS = {
  class: 'live',
  field: 'documentProgress',
  shape: 'keyed',
  entriesMax: 8,
  isNewestKept: true,
  schema: plainUpdateSchema,
  key: ({ documentId }: PlainUpdate): string => documentId,
  texts: { documentId: 'runId', load: 'free', result: 'free' },
} as const;

export const PLAIN_EVENT_KINDS: {
  readonly 'document.started': DocumentRow;
  readonly 'document.ended': DocumentRow;
  readonly 'parts.reported': typeof PARTS;
} = {
  'document.started': {
    ...DOCUMENT,
    toPayload: document => (document.state === 'running' ? document : undefined),
  },
  'document.ended': {
    ...DOCUMENT,
    toPayload: document => (document.state === 'running' ? undefined : document),
  },
  'parts.reported': PARTS,
};
