// The forms of plain documents. A form is one row.

import type { PlainForm } from './plain-kind.ts';

export const PLAIN_FORMS: readonly PlainForm[] = [];
