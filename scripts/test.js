// `npm test`: prepares what is missing, runs every check and test, ends with `N passed, N failed, N skipped`. This
// file and check-node.js are CommonJS that Node 6 parses, so that an old Node prints the problem in two lines instead
// of a syntax error.

require('./check-node.js');
require('./run-tests.js');
