import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { requireBuild } from '../support/build.ts';
import { repositoryRoot } from '../support/repository-root.ts';

// The entries that a packed program starts are next to it; the dashboard and package.json are where they
// always were.
test('everything that is started as a process or thread is packed', () => {
  requireBuild();
  const source = join(repositoryRoot, 'src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('.ts'),
  );
  const entries = files.flatMap(file =>
    [
      ...readFileSync(join(source, file), 'utf8').matchAll(/entryUrl\(import\.meta\.url, '([^']+)\.ts'\)/g),
    ].map(([, entry = '']) => join(dirname(file), `${entry}.js`)),
  );
  const started = entries.filter(entry => files.includes(entry.replace(/\.js$/, '.ts')));
  expect(started).toContain(join('bench', 'load', 'load-worker.js'));
  expect(started.filter(entry => !existsSync(join(repositoryRoot, 'dist/packed', entry)))).toEqual([]);
});

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
