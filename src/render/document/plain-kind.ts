// The row of one form of plain documents: its schema, what a list shows of it, and its report as sections. Its files, events, routes,
// page, list, formats and removal derive from that.

import * as v from 'valibot';
import type { PlainDocument, PlainStart, PlainUpdate } from '../../core/document/plain-document.ts';
import { type Schema, TEXT_LENGTH_MAX } from '../../core/schema.ts';
import type { Section } from '../section.ts';

export interface PlainKind<D extends PlainDocument> {
  /** "campaign": also the name of its files. */
  readonly form: string;
  /** "Probe campaign" */
  readonly title: string;
  /** "probe all": what creates it. */
  readonly command: string;
  readonly schema: Schema<D>;
  /** What it works on: a URL, machines. */
  readonly target: (document: D) => string;
  readonly findings: (document: D) => Pick<PlainUpdate, 'load' | 'result'>;
  /** Of a document that judges something; without it a complete one is good. */
  readonly verdict?: (document: D) => PlainVerdict;
  readonly sections: (document: D) => readonly Section[];
}

interface PlainVerdict {
  readonly tone: 'good' | 'caution' | 'open' | 'bad';
  /** A sentence each. */
  readonly reasons: readonly string[];
}

/** A document of any form, with what its row makes of it. */
export interface PlainReport extends Pick<PlainUpdate, 'load' | 'result'> {
  readonly form: string;
  readonly title: string;
  readonly document: PlainDocument;
  readonly target: string;
  readonly verdict: PlainVerdict;
  readonly sections: readonly Section[];
}

export const plainReport = <D extends PlainDocument>(kind: PlainKind<D>, document: D): PlainReport => ({
  form: kind.form,
  title: kind.title,
  document,
  target: kind.target(document),
  ...kind.findings(document),
  verdict: kind.verdict?.(document) ?? { tone: 'good', reasons: [] },
  sections: kind.sections(document),
});

/** As it is announced and found. */
export const plainStart = (
  { form, document, target, load, result }: PlainReport,
  directory: string,
): PlainStart => ({
  documentId: document.id,
  form,
  startedAt: document.startedAt,
  name: document.name,
  target: target.slice(0, TEXT_LENGTH_MAX),
  command: document.command.slice(0, TEXT_LENGTH_MAX),
  directory,
  load,
  result,
});

/** A form without the type of its documents. */
export interface PlainForm extends Pick<PlainKind<never>, 'form' | 'title' | 'command'> {
  /** @returns why it is not one, as text */
  readonly read: (value: unknown) => PlainReport | string;
}

export const plainForm = <D extends PlainDocument>(kind: PlainKind<D>): PlainForm => ({
  form: kind.form,
  title: kind.title,
  command: kind.command,
  read: value => {
    const read = v.safeParse(kind.schema, value);
    if (read.success) return plainReport(kind, read.output);
    const [issue] = read.issues;
    return [v.getDotPath(issue) ?? [], issue.message].flat().join(': ');
  },
});
