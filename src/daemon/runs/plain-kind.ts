// Plain documents: those of which the cluster needs no more than a list shows.

import { DOCUMENT_KINDS } from '../../core/document/document-kinds.ts';
import { LEASE_MS } from '../../core/document/document-views.ts';
import {
  type PlainDigest,
  type PlainEnd,
  type PlainStart,
  type PlainUpdate,
  plainAfterwards,
  plainEndSchema,
  plainStartSchema,
  plainUpdateSchema,
} from '../../core/document/plain-document.ts';
import { STORED_PLAIN } from '../../core/document/plain-views.ts';
import { EVENT_KINDS } from '../../core/event-kinds.ts';
import { type DocumentId, isDocumentId } from '../../core/ids.ts';
import { documentIdSchema } from '../../core/schema.ts';
import { PLAIN_FILES, readStored } from '../../metrics/stored-file.ts';
import { type PlainReport, plainStart } from '../../render/document/plain-kind.ts';
import { ABANDONED_MS, type DocumentKind, type DocumentTypes, LOST } from './document-kind.ts';

export interface PlainTypes extends DocumentTypes {
  readonly id: DocumentId;
  readonly begun: PlainStart;
  readonly update: PlainUpdate;
  readonly ended: PlainEnd;
  readonly stored: PlainDigest;
  readonly live: undefined;
  readonly file: PlainReport;
}

export const PLAIN_DOCUMENT: DocumentKind<PlainTypes> = {
  ...STORED_PLAIN,
  ...DOCUMENT_KINDS.document,
  idMeaning: 'The id of a document.',
  idSchema: documentIdSchema,
  isId: isDocumentId,
  idOf: ({ documentId }) => documentId,
  noSuch: id => ({ problem: `No document ${id} is known here.`, advice: 'GET /api/documents lists them.' }),
  startBody: plainStartSchema,
  updateBody: plainUpdateSchema,
  endBody: plainEndSchema,
  summaries: {
    start: 'Work that results in a document starts on this machine, such as a probe campaign.',
    progress: `What is known so far; due every 2 s, and the work counts as interrupted after ${LEASE_MS / 1_000} s.`,
    end: 'The work has ended: its state and its main figure.',
    stop: 'Requests that work on this machine stop now and keep what is done, as Ctrl-C does. Its process receives the request with the reply to its next update.',
  },
  files: PLAIN_FILES,
  fileId: ({ document }) => document.id,
  storedLimit: EVENT_KINDS['document.started'].entriesMax,
  liveLimit: EVENT_KINDS['parts.reported'].entriesMax,
  begin: begun => ({ ...begun, state: 'running', reason: '' }),
  open: () => undefined,
  isReopened: false,
  started: payload => ({ kind: 'document.started', payload }),
  ended: payload => ({ kind: 'document.ended', payload }),
  leases: () => [],
  reported: (_progress, payload) => [{ kind: 'parts.reported', payload }],
  end: ({ document }, ended) => ({ ...document, ...ended }),
  settledAfterMs: ABANDONED_MS,
  settle: (document, { file, parts: { state, nodeId } }) => {
    if (file !== undefined) return digestOf(file, document.directory);
    return { ...document, ...state().documentProgress[nodeId]?.[document.documentId]?.value, ...LOST };
  },
  find: async directory => {
    const file = await readStored(directory, PLAIN_FILES);
    return file.kind === 'refused'
      ? undefined
      : {
          document: digestOf(file.document, directory),
          isWritten: file.document.document.state === 'running',
        };
  },
};

const digestOf = (report: PlainReport, directory: string): PlainDigest => {
  const { state, reason } = plainAfterwards(report.document);
  return { ...plainStart(report, directory), state, reason };
};
