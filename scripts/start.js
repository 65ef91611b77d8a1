// `npm start`: installs and builds what is missing, then runs the daemon with the pinned Node. This file and
// check-node.js are CommonJS that Node 6 parses, so that an old Node prints the problem in two lines instead of a
// syntax error.

require('./check-node.js');
require('./start-daemon.js');
