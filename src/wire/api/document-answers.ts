// Plain documents in the HTTP API: responses under /api/documents.

import * as v from 'valibot';
import { plainDigestSchema } from '../../core/document/plain-document.ts';
import { documentIdSchema, nodeIdSchema, text } from '../../core/schema.ts';

const listedDocumentSchema = v.object({
  node: nodeIdSchema,
  document: plainDigestSchema,
  /** As shown: one in progress that is silent is interrupted. */
  state: plainDigestSchema.entries.state,
  reason: text,
  isLive: v.boolean(),
});

export const documentsAnswerSchema = v.object({ documents: v.array(listedDocumentSchema) });

export const documentAnswerSchema = v.object({
  document: listedDocumentSchema,
  file: v.pipe(
    v.unknown(),
    v.description(
      'Its file, of the schema that the file names, also while it is in progress; null if it is not on the answering node.',
    ),
  ),
  /** Why there is no file; '' if there is one. */
  notice: text,
});

export const documentStopAnswerSchema = v.object({ documentId: documentIdSchema });
