// A Vitest reporter that writes what happened to the file named by PLIMSOLL_TEST_COUNTS: how many tests passed, which
// failed, and which were skipped with the reason each gave. run-tests.js adds the other checks and prints the line.

import { writeFileSync } from 'node:fs';

export default class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: [], skipped: [] };
    for (const module of modules) {
      for (const test of module.children.allTests()) countTest(counts, module, test);
      for (const suite of module.children.allSuites())
        countErrors(counts, module, suite.fullName, suite.errors());
      countErrors(counts, module, 'could not be loaded', module.errors());
    }
    for (const error of unhandledErrors) counts.failed.push(`outside any test: ${error.message}`);
    if (process.env.PLIMSOLL_TEST_COUNTS)
      writeFileSync(process.env.PLIMSOLL_TEST_COUNTS, JSON.stringify(counts));
  }
}

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
