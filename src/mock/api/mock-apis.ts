// The table of the mock's APIs.

import type { MockApi } from './mock-api.ts';
import { mockChat } from './mock-chat.ts';
import { mockCompletions } from './mock-completions.ts';

export const MOCK_APIS: readonly MockApi[] = [mockChat, mockCompletions];
