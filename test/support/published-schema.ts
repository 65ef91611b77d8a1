// Checks what commands print against the JSON Schema that `plimsoll schema` prints, with a validator that shares no code with what
// generates it.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { PUBLISHED_DOCUMENTS, publishedSchema } from '../../src/cli/published-documents.ts';

/** Of the document that its key `schema` names; empty if it matches. */
export const documentFaults = async (value: unknown): Promise<readonly string[]> => {
  const id = typeof value === 'object' && value !== null && 'schema' in value ? value.schema : undefined;
  const document = PUBLISHED_DOCUMENTS.find(each => each.id === id);
  if (document === undefined) return [`no published document has the schema ${JSON.stringify(id)}`];
  const printed = JSON.stringify(await publishedSchema(document));
  const ajv = new Ajv2020({ allErrors: true, strictTuples: false, strictTypes: false });
  const validate = ajv.compile(JSON.parse(printed));
  if (validate(value)) return [];
  return (validate.errors ?? [])
    .slice(0, 8)
    .map(({ instancePath, message }) => `${instancePath}: ${message}`);
};
