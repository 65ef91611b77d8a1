// The options of `plimsoll mock` as people write them, read into settings: the command line, its help and the
// documentation come from the rows of mock-settings.ts.

import { type Parsed, parsed, wrong } from '../core/figure/parse-figure.ts';
import { nearest } from '../core/text/nearest.ts';
import { failureNames } from './failures.ts';
import { OPTION_FORMS } from './mock-kinds.ts';
import { MOCK_ROWS, type MockRow, type MockSettings, readMockSettings } from './mock-settings.ts';

/** By name without dashes, a flag with ''. Undefined: not given. */
type MockArguments = Readonly<Record<string, string | undefined>>;

/** `problem` and `advice` are one sentence each. */
export const parseMockOptions = (given: MockArguments): Parsed<MockSettings> => {
  const values: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(given)) {
    if (text === undefined) continue;
    const option = BY_NAME.get(name);
    if (option === undefined) return unknownOption(name);
    const result = option.read(text);
    if (result.kind === 'wrong') return wrong(`--${name}: ${result.problem}`, result.advice);
    values[option.key] = result.value;
  }
  if (given['fail-every'] !== undefined && given['fail'] === undefined)
    return wrong(
      '--fail-every says which requests fail, and none does',
      'Add how: --fail any --fail-every 3.',
    );
  const result = readMockSettings(values);
  if (result.kind === 'ok') return parsed(result.settings);
  const option = MOCK_OPTIONS.find(({ key, name }) => key === result.key && given[name] !== undefined);
  if (option === undefined) return wrong(withOptionNames(result.problem), 'Leave one of them out.');
  if (option.key === 'failure') return unknownFailure(given[option.name] ?? '');
  return wrong(`--${option.name} ${result.problem}`, option.meaning);
};

interface MockOption {
  /** Without dashes. */
  readonly name: string;
  /** undefined for a flag. */
  readonly valueName: string | undefined;
  /** With the default. */
  readonly meaning: string;
  /** Of MockSettings. */
  readonly key: string;
  /** A flag gets ''. */
  readonly read: (text: string) => Parsed<unknown>;
}

export const MOCK_OPTIONS: readonly MockOption[] = Object.entries<MockRow>(MOCK_ROWS).flatMap(
  ([key, { value, option }]): readonly MockOption[] => {
    if (option === undefined) return [];
    const { name, meaning } = option;
    if (value.kind === 'flag') {
      return [{ name, valueName: undefined, meaning, key, read: () => parsed(value.default !== true) }];
    }
    const form = OPTION_FORMS[value.kind];
    const valueName = option.valueName ?? value.choices?.join('|') ?? form.valueName;
    const unset = option.unset ?? `${value.default}${value.kind === 'duration' ? 'ms' : ''}`;
    const note = unset === '' ? '' : ` Default: ${unset}.`;
    return [{ name, valueName, meaning: `${meaning}${note}`, key, read: form.read }];
  },
);

const unknownOption = (name: string): Parsed<never> => {
  const meant = nearest(
    name,
    MOCK_OPTIONS.map(known => known.name),
  );
  return wrong(
    `there is no option --${name}`,
    meant === undefined ? 'See `plimsoll mock --help`.' : `Did you mean --${meant}?`,
  );
};

const unknownFailure = (name: string): Parsed<never> => {
  const meant = nearest(name, failureNames());
  return wrong(
    `--fail: the mock has no failure ${JSON.stringify(name)}`,
    meant === undefined
      ? 'docs/mock.md lists them; `--fail any` is each in its turn.'
      : `Did you mean ${meant}?`,
  );
};

/** The schema names settings; people use options. */
const withOptionNames = (problem: string): string =>
  MOCK_OPTIONS.reduce((reported, { key, name }) => reported.replaceAll(key, `--${name}`), problem);

const BY_NAME: ReadonlyMap<string, MockOption> = new Map(MOCK_OPTIONS.map(known => [known.name, known]));
