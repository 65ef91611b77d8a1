// The home and its settings, looked at and left as they are.

import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { placedProblem } from '../../config/config-problem.ts';
import { homeFiles } from '../../config/home.ts';
import { readConfig } from '../../config/read-config.ts';
import { figureText, formatBytes } from '../../core/figure/figure.ts';
import { errorCode } from '../../core/problem.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { readDaemonFile } from '../../daemon/daemon-file.ts';
import { openInputFile } from '../../process/input-file.ts';
import type { ProcessState } from '../process-state.ts';
import { type Check, checksOf } from './check.ts';

const check = checksOf('home');

export const homeChecks = async (home: string, state: ProcessState): Promise<readonly Check[]> => {
  const info = await statOf(home);
  if (info.kind === 'missing') {
    return [check('note', `${home} does not exist yet`, 'The first plimsoll up creates it.')];
  }
  if (info.kind === 'refused')
    return [check('problem', `${home} cannot be inspected (${info.code})`, ownerAdvice(home))];
  if (!info.stats.isDirectory()) {
    return [
      check('problem', `${home} is not a folder`, 'Move it away, or choose another home with --home DIR.'),
    ];
  }
  if (state.platform === 'win32') return [check('ok', home)];
  const { uid } = info.stats;
  if (state.userId !== undefined && state.userId !== 0 && uid !== state.userId) {
    return [check('problem', `${home} belongs to another user (${uid})`, ownerAdvice(home))];
  }
  return [
    ...folderChecks(home, info.stats),
    ...(await fileChecks(home, state)),
    ...(await journalChecks(home, state)),
  ];
};

export const configChecks = async (home: string): Promise<readonly Check[]> => {
  const result = await readConfig(homeFiles(home).config);
  const settings = checksOf('settings');
  if (result.kind === 'broken') {
    return result.problems.map(problem => settings('problem', placedProblem(problem), problem.advice));
  }
  if (result.isMissing) return [settings('note', 'there is no config.toml: every key has its default')];
  const set = result.settings.filter(({ source }) => source.kind === 'file').length;
  return [
    settings('ok', `config.toml is in order, ${set} ${set === 1 ? 'key is' : 'keys are'} set`),
    agentCheck(result.config),
  ];
};

/** Whether others may have this machine send requests is for everybody to see who looks after it. */
const agentCheck = ({ bench }: Config): Check => {
  const { isAgent, targets, requestsPerSecondMax } = bench;
  const settings = checksOf('settings');
  if (!isAgent) return settings('ok', 'this node makes no load for others ([bench] agent)');
  if (targets.length === 0) {
    return settings(
      'note',
      'this node would make load for others, but may load no target',
      'List what it may load: [bench] targets = ["https://llm.example.net"] in config.toml.',
    );
  }
  return settings(
    'ok',
    `this node makes load for others: ${targets.join(', ')}, at most ${requestsPerSecondMax} requests a second`,
  );
};

const folderChecks = (home: string, stats: Stats): readonly Check[] => {
  const mode = stats.mode & 0o777;
  if ((mode & 0o077) !== 0) {
    return [
      check(
        'problem',
        `${home} can be read by others (${octal(mode)})`,
        `Run: ${shellCommand`chmod 700 ${home}`}`,
      ),
    ];
  }
  return [check('ok', `${home} is private (${octal(mode)})`)];
};

const fileChecks = async (home: string, { userId }: ProcessState): Promise<readonly Check[]> => {
  const names = await readdir(home).catch((error: unknown) => errorCode(error) ?? 'unknown error');
  if (typeof names === 'string')
    return [check('problem', `${home} cannot be listed (${names})`, ownerAdvice(home))];
  const checks: Check[] = [];
  for (const name of names.slice(0, FILES_MAX)) {
    const info = await statOf(join(home, name));
    if (info.kind !== 'found' || !info.stats.isFile()) continue;
    const { mode, uid } = info.stats;
    if ((mode & 0o077) !== 0) {
      const advice = `Run: ${shellCommand`chmod 600 ${join(home, name)}`}`;
      checks.push(check('problem', `${name} can be read by others (${octal(mode & 0o777)})`, advice));
    }
    if (userId !== undefined && uid !== userId && userId !== 0) {
      checks.push(check('problem', `${name} belongs to another user (${uid})`, ownerAdvice(home)));
    }
  }
  return checks;
};

/** The daemon holds the journal; from outside only its beginning and its size are looked at. */
const journalChecks = async (home: string, state: ProcessState): Promise<readonly Check[]> => {
  const path = join(home, 'journal.sqlite');
  const info = await statOf(path);
  if (info.kind === 'missing') {
    const daemon = await readDaemonFile(homeFiles(home).daemon);
    if (daemon.kind !== 'found' || !state.isAlive(daemon.file.pid))
      return [check('note', 'there is no journal yet')];
    const problem = 'the journal does not exist: what the running daemon records now is lost when it stops';
    return [check('problem', problem, 'Restart the daemon: it starts a new journal.')];
  }
  if (info.kind === 'refused')
    return [check('problem', `the journal cannot be inspected (${info.code})`, ownerAdvice(home))];
  const log = await statOf(`${path}-wal`);
  const size = figureText(formatBytes(info.stats.size + (log.kind === 'found' ? log.stats.size : 0)));
  if (info.stats.size === 0 || (await beginsLikeSqlite(path)))
    return [check('ok', `the journal has ${size}`)];
  return [
    check('problem', `${path} is not a journal`, 'The next plimsoll up moves it aside and starts a new one.'),
  ];
};

const beginsLikeSqlite = async (path: string): Promise<boolean> => {
  try {
    await using file = await openInputFile(path, 'homeFile');
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(SQLITE_MAGIC.length),
      0,
      SQLITE_MAGIC.length,
      0,
    );
    return buffer.subarray(0, bytesRead).toString('latin1') === SQLITE_MAGIC;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
};

type StatResult =
  | { readonly kind: 'found'; readonly stats: Stats }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly code: string };

const statOf = async (path: string): Promise<StatResult> => {
  try {
    return { kind: 'found', stats: await lstat(path) };
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return code === 'ENOENT' ? { kind: 'missing' } : { kind: 'refused', code };
  }
};
const octal = (mode: number): string => `0${mode.toString(8).padStart(3, '0')}`;
const ownerAdvice = (home: string): string =>
  `Run as the user it belongs to, or: ${shellCommand`sudo chown -R "$USER" ${home}`}`;

/** sqlite.org/fileformat.html, 1.3.1 */
const SQLITE_MAGIC = 'SQLite format 3\u0000';
const FILES_MAX = 200;
