import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { requireBuild } from '../support/build.ts';
import { repositoryRoot } from '../support/repository.ts';

// tsc 6.0 forgets to rewrite an import() inside a function whose `await using` it lowers; the target is one that needs
// no lowering.
test('a built module imports no source file', () => {
  requireBuild();
  const dist = join(repositoryRoot, 'dist');
  const modules = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    file => file.endsWith('.js') && !file.startsWith('dashboard/'),
  );
  const offences = modules.flatMap(file =>
    ts
      .preProcessFile(readFileSync(join(dist, file), 'utf8'), true, true)
      .importedFiles.filter(({ fileName }) => /^\..*\.ts$/.test(fileName))
      .map(({ fileName }) => `dist/${file} imports ${fileName}`),
  );
  expect(modules.length).toBeGreaterThan(0);
  expect(offences).toEqual([]);
});
