import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { bearer, fetchJson, type Json, sendRequest } from './http-exchange.ts';
import { serveCluster, TOKEN } from './served-cluster.ts';

describe('/openapi.json', () => {
  test('lists exactly the routes that are served', async () => {
    await using served = await serveCluster();
    const { json } = await fetchJson({ port: served.port, path: '/openapi.json' });
    const reported = Object.entries<Json>(json.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
    );
    const real = [...served.server.served].map(({ method, path }) => `${method} ${path}`);
    expect(reported.sort()).toEqual(real.sort());
  });

  test('names every parameter of every path, and each operation once', async () => {
    await using served = await serveCluster();
    const { json } = await fetchJson({ port: served.port, path: '/openapi.json' });
    const operations = Object.entries<Json>(json.paths).flatMap(([path, methods]) =>
      Object.values<Json>(methods).map(operation => ({ path, operation })),
    );
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const reported = operation.parameters
        .filter((each: Json) => each.in === 'path')
        .map((each: Json) => each.name);
      expect(reported).toEqual(inPath);
    }
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('is an OpenAPI document', async () => {
    await using served = await serveCluster();
    const { json } = await fetchJson({ port: served.port, path: '/openapi.json' });
    const { valid, errors } = await new Validator().validate(json);
    expect({ valid, errors }).toMatchObject({ valid: true });
  });

  test('reports of nothing that it is any object, and of no schema nothing at all', async () => {
    await using served = await serveCluster();
    const { json } = await fetchJson({ port: served.port, path: '/openapi.json' });
    const vague = everyPart(json).filter(
      // In a security requirement, {} means "or no credentials".
      ({ path, part }) => !path.includes('/security/') && (isAnyObject(part) || isNothing(part)),
    );
    expect(vague.map(({ path }) => path)).toEqual([]);
  });

  test('every path that changes something reports that it needs the token, and does', async () => {
    await using served = await serveCluster();
    const { json } = await fetchJson({ port: served.port, path: '/openapi.json' });
    for (const [path, methods] of Object.entries<Json>(json.paths)) {
      if (path === '/api/access/code') continue;
      for (const [method, operation] of Object.entries<Json>(methods)) {
        if (method === 'get') continue;
        const requested = {
          port: served.port,
          path: path.replace('{runId}', 'r1'),
          method: method.toUpperCase(),
        };
        expect(operation.security).toEqual([{ token: [] }, { cookie: [] }]);
        expect((await sendRequest(requested)).status).toBe(401);
        expect((await sendRequest({ ...requested, headers: bearer(TOKEN) })).status).not.toBe(401);
      }
    }
  });

  test('every path refuses a query parameter that it does not know, and reports which it does', async () => {
    await using served = await serveCluster();
    for (const { method, path, parameters } of served.server.served) {
      const known = parameters.filter(each => each.in === 'query').map(({ name }) => name);
      const requested = { port: served.port, method, headers: bearer(TOKEN) };
      const { status, json } = await fetchJson({
        ...requested,
        path: `${path.replaceAll(/[{}]/g, '')}?mistyped=1`,
      });
      expect([path, status, json.code, json.parameter, json.allowed]).toEqual([
        path,
        400,
        'bad-query',
        'mistyped',
        known,
      ]);
    }
    const { json } = await fetchJson({ port: served.port, path: '/api/history?slots=gpu' });
    expect([json.detail, json.advice]).toEqual([
      'The query parameter "slots" does not exist here.',
      'Use node, slot, key, backMs or limit.',
    ]);
  });
});

test('docs/api.md names every path, every method that changes something, and where the token is needed', async () => {
  await using served = await serveCluster();
  const text = await readFile(new URL('../../../docs/api.md', import.meta.url), 'utf8');
  const rows = text.split('\n').filter(line => line.startsWith('| `/'));
  const unnamed = [...served.server.served].filter(({ method, path, access }) => {
    const row = rows.filter(line => /^\| `([^`?]+)/.exec(line)?.[1] === path).join('\n');
    const names = [
      ...(method === 'GET' ? [] : [method]),
      ...(access === 'change' ? ['needs the token'] : []),
    ];
    return row === '' || names.some(name => !row.includes(name));
  });
  expect(unnamed.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});

const isNothing = (part: Json): boolean => Object.keys(part).length === 0;

const isAnyObject = ({ type, properties, additionalProperties }: Json): boolean =>
  type === 'object' && properties === undefined && additionalProperties === undefined;

const everyPart = (value: Json, path = ''): readonly { readonly path: string; readonly part: Json }[] => {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries<Json>(value).flatMap(([name, part]) => everyPart(part, `${path}/${name}`));
  return Array.isArray(value) ? inner : [{ path, part: value }, ...inner];
};
