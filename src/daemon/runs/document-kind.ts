// The row of one kind of stored document: something that a process of this machine creates by work over time. It is
// announced while it is in progress, stored in a directory, listed, stopped, and settled by its files when its process is
// gone. One registry and one set of routes derive from it.

import type { GenericSchema } from 'valibot';
import type { StoredDocument, StoredKind } from '../../core/document/document-views.ts';
import type { Fact } from '../../core/event-kinds.ts';
import type { StoredFiles } from '../../metrics/stored-file.ts';
import type { ApiProblemCode } from '../../wire/api/api-problem.ts';
import type { CalibrationParts } from './engine-calibrations.ts';

/** The types of one kind. */
export interface DocumentTypes {
  readonly id: string;
  /** What its process reports at its start, while it is in progress, and at its end. */
  readonly begun: object;
  readonly update: object;
  readonly ended: object;
  /** As the cluster stores it. */
  readonly stored: StoredDocument;
  /** What the registry has of one in progress in addition. */
  readonly live: unknown;
  /** The content of its file. */
  readonly file: unknown;
}

export interface RegistryParts extends CalibrationParts {
  readonly home: string;
  readonly isOwnAddress: (address: string) => boolean;
}

export interface InProgress<T extends DocumentTypes> {
  readonly document: T['stored'];
  readonly live: T['live'];
}

interface Silence<T extends DocumentTypes> {
  readonly silentMs: number;
  /** Undefined if there is none that can be read. */
  readonly file: T['file'] | undefined;
  /** Undefined after a restart of the daemon. */
  readonly live: T['live'] | undefined;
  readonly parts: RegistryParts;
}

export interface DocumentKind<T extends DocumentTypes> extends RoutedKind<T> {
  readonly files: StoredFiles<T['file']>;
  readonly fileId: (file: T['file']) => string;
  /** Documents of one node in State, and those in progress at once. */
  readonly storedLimit: number;
  readonly liveLimit: number;
  readonly begin: (begun: T['begun'], parts: RegistryParts) => T['stored'];
  /** @param live what the registry has already, if it is announced again */
  readonly open: (document: T['stored'], live: T['live'] | undefined) => T['live'];
  /** Whether one that a journal has in progress goes on after a restart without being announced again. */
  readonly isReopened: boolean;
  readonly started: (document: T['stored']) => Fact;
  readonly ended: (document: T['stored']) => Fact;
  /** Keeps probes away from its targets between two of its parts. */
  readonly leases: (document: T['stored'], parts: RegistryParts) => readonly Fact[];
  /** Also takes the update into `live`. */
  readonly reported: (progress: InProgress<T>, update: T['update'], parts: RegistryParts) => readonly Fact[];
  readonly end: (progress: InProgress<T>, ended: T['ended']) => T['stored'];
  /** Silence after which `settle` is called, ms. */
  readonly settledAfterMs: number;
  /**
   * The end of one that fell silent, by its file or its last report: a process that is gone wrote nothing since.
   * Undefined: not yet.
   */
  readonly settle: (
    document: T['stored'],
    silence: Silence<T>,
  ) => Promise<T['stored'] | undefined> | T['stored'];
  /** Undefined where the directory has none. */
  readonly find?: (directory: string, parts: RegistryParts) => Promise<Found<T> | undefined>;
  /** One round for one in progress. */
  readonly look?: (progress: InProgress<T>, nowMs: number) => Promise<void>;
  /** Called when its end is stored. */
  readonly whenEnded?: (document: T['stored']) => void;
}

/** One that no daemon received, found in a folder of the home. */
interface Found<T extends DocumentTypes> {
  readonly document: T['stored'];
  /** A process may still announce it. */
  readonly isWritten: boolean;
  /** Called when it was added. */
  readonly whenAdded?: () => Promise<void>;
}

/** What its routes need: names, sentences and schemas. */
export interface RoutedKind<T extends DocumentTypes> extends StoredKind<T['stored']> {
  readonly idOf: (of: T['begun'] | T['update'] | T['ended'] | T['stored']) => T['id'];
  /** "sweep" */
  readonly one: string;
  /** "/api/sweeps" */
  readonly path: string;
  /** "sweepId", and what it is. */
  readonly idName: string;
  readonly idMeaning: string;
  readonly idSchema: GenericSchema<unknown, T['id']>;
  readonly isId: (text: unknown) => text is T['id'];
  readonly unknownCode: ApiProblemCode;
  readonly fullCode: ApiProblemCode;
  readonly noSuch: (text: string) => { readonly problem: string; readonly advice: string };
  readonly startBody: GenericSchema<unknown, T['begun']>;
  readonly updateBody: GenericSchema<unknown, T['update']>;
  readonly endBody: GenericSchema<unknown, T['ended']>;
  readonly summaries: {
    readonly start: string;
    readonly progress: string;
    readonly end: string;
    readonly stop: string;
  };
}

/** Silence after which one that never reported its end is recorded as interrupted. */
export const ABANDONED_MS = 60_000;

/** The end of one whose process is gone, and whose file cannot be read. */
export const LOST = {
  state: 'interrupted',
  reason: 'its process exited unexpectedly, and its document cannot be read',
} as const;
