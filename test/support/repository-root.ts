// Where this checkout is. On its own: what parses the repository loads a compiler, and most tests only need the path.

import { fileURLToPath } from 'node:url';

export const repositoryRoot: string = fileURLToPath(new URL('../../', import.meta.url));
