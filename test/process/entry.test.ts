import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { entryUrl } from '../../src/process/entry.ts';

const repository = new URL('../../', import.meta.url);

test('an entry of a module that runs from source is the source file', () => {
  const moduleUrl = new URL('src/process/entry.ts', repository).href;
  expect(entryUrl(moduleUrl, './child.ts').href).toBe(new URL('src/process/child.ts', repository).href);
  expect(existsSync(fileURLToPath(entryUrl(moduleUrl, './child.ts')))).toBe(true);
});

test('an entry of a module that runs from dist is the compiled file', () => {
  const moduleUrl = new URL('dist/process/entry.js', repository).href;
  expect(entryUrl(moduleUrl, './child.ts').href).toBe(new URL('dist/process/child.js', repository).href);
});

test('the compiled resolver finds a compiled entry that exists', async context => {
  const compiled = new URL('dist/process/entry.js', repository);
  if (!existsSync(compiled)) context.skip('there is no build; `npm run build` makes one');
  const module: { entryUrl: typeof entryUrl } = await import(compiled.href);
  expect(existsSync(fileURLToPath(module.entryUrl(compiled.href, './child.ts')))).toBe(true);
});

test('an entry is found in a checkout whose path has spaces', () => {
  const url = entryUrl('file:///a%20b/src/x/y.ts', '../z/w-worker.ts');
  expect(fileURLToPath(url)).toBe('/a b/src/z/w-worker.ts');
});

test('a query that a test server appended to the module does not hide where it runs', () => {
  expect(entryUrl('file:///a/src/x.ts?t=1', './y.ts').pathname).toBe('/a/src/y.ts');
});
