// Checks replies of the HTTP API against the valibot schema of their route, and against the JSON Schema of
// /openapi.json, with a validator that shares no code with its generator.

import { Ajv2020 } from 'ajv/dist/2020.js';
import * as v from 'valibot';
import type { ApiRoute } from '../../src/daemon/http/route.ts';
import { apiProblemSchema } from '../../src/wire/api/api-problem.ts';

interface CheckedAnswer {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** As the document has it: "/api/nodes/{nodeId}". */
  readonly path: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: unknown;
}

export class ApiChecks {
  readonly #routes: Iterable<ApiRoute>;
  readonly #ajv = new Ajv2020({ allErrors: true, strictTuples: false });

  constructor(routes: Iterable<ApiRoute>, document: object) {
    this.#routes = routes;
    // Of the document only its schemas are schemas.
    this.#ajv.addVocabulary([...Object.keys(document)]);
    this.#ajv.addSchema({ $id: 'document', ...document });
  }

  /** What is wrong with a reply; empty if it matches. */
  faults({ method, path, status, contentType, body }: CheckedAnswer): readonly string[] {
    const route = [...this.#routes].find(one => one.method === method && one.path === path);
    if (route === undefined) return [`no route ${method} ${path}`];
    const answer = route.answers[status];
    if (answer === undefined && status < 400)
      return [`${method} ${path} does not document the status ${status}`];
    const reported = answer === undefined ? PROBLEM : answer.content;
    if (reported === undefined) return body === undefined ? [] : [`${method} ${path} answers with a body`];
    const type = contentType.split(';', 1)[0] ?? '';
    const pointer = [
      'paths',
      path,
      method.toLowerCase(),
      'responses',
      answer === undefined ? 'default' : status,
      'content',
      reported.type,
      'schema',
    ];
    return [
      ...(type === reported.type ? [] : [`${method} ${path} is ${type}, not ${reported.type}`]),
      ...this.faultsOf(reported.schema, pointer.join('\0'), body),
    ].map(fault => `${method} ${path}: ${fault}`);
  }

  /** Of a value by a schema and by its path in the document, the parts divided by \0. */
  faultsOf(schema: v.GenericSchema, path: string, value: unknown): readonly string[] {
    const read = v.safeParse(schema, value);
    const pointer = path
      .split('\0')
      .map(part => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    const validate = this.#ajv.compile({ $ref: `document#/${pointer}` });
    const isValid = validate(value);
    return [
      ...(read.success
        ? []
        : read.issues
            .slice(0, 5)
            .map(issue => `valibot, ${v.getDotPath(issue) ?? 'root'}: ${issue.message}`)),
      ...(isValid
        ? []
        : (validate.errors ?? []).slice(0, 5).map(error => `ajv, ${error.instancePath}: ${error.message}`)),
    ];
  }
}

const PROBLEM = { type: 'application/problem+json', schema: apiProblemSchema };
