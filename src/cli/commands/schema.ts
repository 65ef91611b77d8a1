// `plimsoll schema [NAME]`: the JSON Schema of what --json prints and of what files contain, for programs that read them.

import { inColumns, wrapped } from '../../core/text/columns.ts';
import { nearest } from '../../core/text/nearest.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { jsonLines } from '../../core/text/single-line.ts';
import { type Command, homeOption, jsonOption } from '../command.ts';
import { usage } from '../command-error.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { OutputStream } from '../process-state.ts';
import { PUBLISHED_DOCUMENTS, publishedSchema, type SchemasDocument } from '../published-documents.ts';

export const schemaCommand: Command = {
  name: 'schema',
  summary: 'Print the JSON Schema of a document',
  description:
    'What --json prints has a key schema, such as plimsoll.doctor/1, and so have report.json and the other files of a run.\nWithout NAME: all documents. A JSON Schema of draft 2020-12.',
  arguments: [
    {
      name: 'NAME',
      meaning: 'doctor, or the value of the key: plimsoll.doctor/1.',
      isRequired: false,
      choices: PUBLISHED_DOCUMENTS.map(({ name }) => name),
    },
  ],
  options: [homeOption, jsonOption],
  prints: ['schemas'],
  examples: [
    { line: 'plimsoll schema', meaning: 'the documents' },
    {
      line: 'plimsoll schema report > report.schema.json',
      meaning: 'for a validator or a generator of types',
    },
  ],
  run: async (invocation, state) => {
    const [given] = invocation.arguments;
    if (given === undefined) {
      await state.stdout.write(invocation.option(jsonOption) ? jsonLines(listed()) : listText(state.stdout));
      return EXIT_CODES.ok.code;
    }
    const document = PUBLISHED_DOCUMENTS.find(({ name, id }) => name === given || id === given);
    if (document === undefined) {
      const names = PUBLISHED_DOCUMENTS.map(({ name }) => name);
      const meant = nearest(given, names);
      throw usage(
        `there is no document ${JSON.stringify(given.slice(0, 60))}`,
        meant === undefined
          ? 'See all of them: plimsoll schema'
          : `Did you mean: ${shellCommand`plimsoll schema ${meant}`}`,
      );
    }
    await state.stdout.write(jsonLines(await publishedSchema(document)));
    return EXIT_CODES.ok.code;
  },
};

const listed = (): SchemasDocument => ({
  schema: 'plimsoll.schemas/1',
  documents: PUBLISHED_DOCUMENTS.map(({ name, id, meaning, file }) => ({
    name,
    id,
    meaning,
    ...(file === undefined ? {} : { file }),
  })),
});

const listText = ({ isTerminal, columns }: OutputStream): string => {
  const rows = inColumns(
    PUBLISHED_DOCUMENTS.map(({ name, meaning }) => [name, meaning]),
    { indent: 0 },
  );
  return `${rows.flatMap(row => (isTerminal ? wrapped(row, columns) : [row])).join('\n')}\n`;
};
