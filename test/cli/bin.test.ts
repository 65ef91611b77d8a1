import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import { requireBuild } from '../support/build.ts';
import { versionOf } from '../support/node-version.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { runDaemon } from '../support/running-daemon.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const bin = join(repositoryRoot, 'bin/plimsoll.js');

const ended = async (program: string, args: readonly string[]) => {
  const child = spawn(program, [...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
};

describe('bin/plimsoll.js', () => {
  test('has no syntax that Node 6 does not parse', () => {
    const source = ts.createSourceFile(
      'plimsoll.js',
      readFileSync(bin, 'utf8'),
      ts.ScriptTarget.Latest,
      true,
    );
    const newer: string[] = [];
    const visit = (node: ts.Node): void => {
      if (isNewerThanEs2015(node)) newer.push(node.getText(source).slice(0, 60));
      ts.forEachChild(node, visit);
    };
    visit(source);
    expect(newer).toEqual([]);
  });

  test('is a script and not a module, for any type of the package', () => {
    const { type } = JSON.parse(readFileSync(join(repositoryRoot, 'bin/package.json'), 'utf8'));
    expect(type).toBe('commonjs');
  });

  test('reports a Node that is too old in two lines', async context => {
    const old = '/usr/bin/node';
    const version = versionOf(old);
    if (version === undefined || version >= 24) return context.skip('no older Node here');
    const { code, stdout, stderr } = await ended(old, [bin, 'up']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Plimsoll needs Node 24 or newer; this is Node [\d.]+\.\nInstall .*\n$/);
  });
});

describe('the built command', () => {
  beforeAll(requireBuild);

  test('prints its version and refuses what it does not know', async () => {
    const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
    expect(await ended(process.execPath, [bin, '--version'])).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
    expect(await ended(process.execPath, [bin, 'statsu'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^plimsoll: unknown command statsu\nDid you mean: \S*plimsoll status\n$/),
    });
  });

  test('prints the whole of a long answer into a pipe', async () => {
    using folder = temporaryDirectory();
    await using daemon = await runDaemon();
    const { code, stdout } = await ended(process.execPath, [bin, 'status', '--json', '--home', daemon.home]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ nodes: [{ presence: 'live' }] });
    expect((await ended(process.execPath, [bin, 'status', '--home', folder.path])).code).toBe(5);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'stops on %s with 0 and takes its daemon.json away',
    async signal => {
      await using daemon = await runDaemon();
      const closed = once(daemon.child, 'close');
      daemon.child.kill(signal);
      expect(await closed).toEqual([0, null]);
      expect(() => readFileSync(join(daemon.home, 'daemon.json'))).toThrow('ENOENT');
    },
  );
});

const isNewerThanEs2015 = (node: ts.Node): boolean => {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isExportAssignment(node))
    return true;
  if (ts.isAwaitExpression(node) || node.kind === ts.SyntaxKind.AsyncKeyword) return true;
  if (node.kind === ts.SyntaxKind.ImportKeyword || ts.isMetaProperty(node)) return true;
  if (node.kind === ts.SyntaxKind.QuestionDotToken || node.kind === ts.SyntaxKind.QuestionQuestionToken)
    return true;
  if (node.kind === ts.SyntaxKind.AsteriskAsteriskToken || ts.isBigIntLiteral(node)) return true;
  if (ts.isSpreadAssignment(node) || ts.isPropertyDeclaration(node) || ts.isPrivateIdentifier(node))
    return true;
  if (ts.isCatchClause(node) && node.variableDeclaration === undefined) return true;
  if (ts.isNumericLiteral(node) && node.getText().includes('_')) return true;
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) return node.arguments?.hasTrailingComma === true;
  return ts.isFunctionLike(node) && node.parameters.hasTrailingComma === true;
};
