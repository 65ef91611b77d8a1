// A Vitest reporter that writes what happened to the file named by PLIMSOLL_TEST_COUNTS: how many tests passed, which
// failed, which were skipped with the reason each gave, and which files were running. run-tests.js adds the other checks and
// prints the line. It writes after each file, so that a run that is killed leaves what it had found.

import { renameSync, writeFileSync } from 'node:fs';

export default class CountReporter {
  #running = new Set();
  #ended = { passed: 0, failed: [], skipped: [] };

  onTestModuleStart(module) {
    this.#running.add(module.relativeModuleId);
    this.#write(this.#ended, { hasEnded: false });
  }

  onTestModuleEnd(module) {
    this.#running.delete(module.relativeModuleId);
    countModule(this.#ended, module);
    this.#write(this.#ended, { hasEnded: false });
  }

  /** Starts over: errors before a module could start are reported here only. */
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: [], skipped: [] };
    for (const module of modules) countModule(counts, module);
    for (const { message, cause } of unhandledErrors)
      counts.failed.push(`outside any test: ${[message, ...(cause ? [cause.message] : [])].join(' ')}`);
    this.#running.clear();
    this.#write(counts, { hasEnded: true });
  }

  #write(counts, { hasEnded }) {
    const file = process.env.PLIMSOLL_TEST_COUNTS;
    if (!file) return;
    writeFileSync(`${file}.new`, JSON.stringify({ ...counts, running: [...this.#running], hasEnded }));
    renameSync(`${file}.new`, file);
  }
}

const countModule = (counts, module) => {
  for (const test of module.children.allTests()) countTest(counts, module, test);
  for (const suite of module.children.allSuites())
    countErrors(counts, module, suite.fullName, suite.errors());
  countErrors(counts, module, 'could not be loaded', module.errors());
};

const countTest = (counts, module, test) => {
  const name = `${module.relativeModuleId} > ${test.fullName}`;
  const result = test.result();
  if (result.state === 'passed') counts.passed += 1;
  else if (result.state === 'skipped') counts.skipped.push({ name, reason: result.note });
  else counts.failed.push(result.state === 'pending' ? `${name} (never finished)` : name);
};

/** A hook or an import that throws fails no test of its own. */
const countErrors = (counts, module, what, errors) => {
  if (errors.length > 0) counts.failed.push(`${module.relativeModuleId} > ${what}: ${errors[0].message}`);
};
